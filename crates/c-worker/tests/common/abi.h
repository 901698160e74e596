/* What the instrumentation would write, by hand. SLOT_* come from the test. */
#include <stddef.h>

void *bw_runtime[SLOT_COUNT];
long bw_ticks;

#define SLOT(name, type) ((type)bw_runtime[SLOT_##name])
#define SIGNED(id, slot, a, b) SLOT(slot, void (*)(unsigned, long, long))(id, (long)(a), (long)(b))
#define EQ(id, a, b) (SIGNED(id, Equal, a, b), (a) == (b))
#define LT(id, a, b) (SIGNED(id, SignedLess, a, b), (a) < (b))
#define LE(id, a, b) (SIGNED(id, SignedLessEqual, a, b), (a) <= (b))
#define TICK()                                         \
    do {                                               \
        if (--bw_ticks < 0)                            \
            SLOT(OutOfTicks, void (*)(void))();        \
    } while (0)

#define malloc(n) SLOT(Malloc, void *(*)(size_t))(n)
#define calloc(n, s) SLOT(Calloc, void *(*)(size_t, size_t))(n, s)
#define realloc(p, n) SLOT(Realloc, void *(*)(void *, size_t))(p, n)
#define free(p) SLOT(Free, void (*)(void *))(p)
#define aligned_alloc(a, n) SLOT(AlignedAlloc, void *(*)(size_t, size_t))(a, n)
#define strdup(s) SLOT(Strdup, char *(*)(const char *))(s)
#define exit(status) SLOT(Exit, void (*)(int))(status)
#define _exit(status) SLOT(ExitAtOnce, void (*)(int))(status)
#define quick_exit(status) SLOT(QuickExit, void (*)(int))(status)
#define abort() SLOT(Abort, void (*)(void))()
#define atexit(f) SLOT(AtExit, int (*)(void (*)(void)))(f)
#define at_quick_exit(f) SLOT(AtQuickExit, int (*)(void (*)(void)))(f)

/* The trampoline of `name`: `arguments` and `result` are in scope in what follows. */
#define TRAMPOLINE(name)                                                \
    void call_##name(char *arguments, void *result) __asm__("bw_call." #name); \
    void call_##name(char *arguments, void *result)
#define ARG(type, offset) (*(type *)(arguments + (offset)))
#define RETURN(type) *(type *)result

/* int name(int) and int name(int, int) are what most tests need. */
#define INT1(name) TRAMPOLINE(name) { RETURN(int) = name(ARG(int, 0)); }
#define INT2(name) TRAMPOLINE(name) { RETURN(int) = name(ARG(int, 0), ARG(int, 8)); }
