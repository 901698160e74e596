/* The models of memcpy() are told by what the compiler knows of it; compiled as they are they would call themselves. */
#define __builtin_memcpy native_memcpy
static inline void *native_memcpy(void *to, const void *from, unsigned long n)
{
    for (unsigned long i = 0; i < n; i++)
        ((volatile char *)to)[i] = ((const char *)from)[i];
    return to;
}
