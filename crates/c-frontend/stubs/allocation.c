/* This allocation fails, counted from here on: 1 is the next one, 0 none. */
unsigned alloc_fails_at;

static int allocation_fails(void)
{
    static unsigned allocations;

    return alloc_fails_at && ++allocations == alloc_fails_at;
}

void *malloc(unsigned long size)
{
    extern void *real_malloc(unsigned long) __asm__("malloc");

    return allocation_fails() ? 0 : real_malloc(size);
}

void *calloc(unsigned long count, unsigned long size)
{
    extern void *real_calloc(unsigned long, unsigned long) __asm__("calloc");

    return allocation_fails() ? 0 : real_calloc(count, size);
}

void *realloc(void *block, unsigned long size)
{
    extern void *real_realloc(void *, unsigned long) __asm__("realloc");

    return allocation_fails() ? 0 : real_realloc(block, size);
}
