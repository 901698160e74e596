/*
 * What the tests use. Written by Branchwise; goes with branchwise.c.
 *
 * It comes after the code under test and must not disturb it: no header that declares functions, since the
 * code may have its own of the same name, and no macro that is not needed.
 */
#ifndef BRANCHWISE_H
#define BRANCHWISE_H

#include <limits.h>

#ifndef NULL
#define NULL ((void *)0)
#endif
#ifndef NAN
#define NAN (__builtin_nanf(""))
#endif
#ifndef INFINITY
#define INFINITY (__builtin_inff())
#endif

/*
 * A test may well do what a compiler advises against: pass NULL or less than a parameter's size promises, drop a
 * result, call what is deprecated.
 */
#pragma GCC diagnostic ignored "-Wnonnull"
#if defined __GNUC__ && !defined __clang__ && __GNUC__ >= 11
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#pragma GCC diagnostic ignored "-Wstringop-overread"
#endif
#pragma GCC diagnostic ignored "-Wunused-result"
#pragma GCC diagnostic ignored "-Wunused-value"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

@CHECKS@

/* SET(array, {1, 2, 3}): assignment for everything that `=` cannot assign. */
#undef SET
#define SET(object, ...) \
    __builtin_memcpy((void *)&(object), &(__typeof__(object))__VA_ARGS__, sizeof(object))

/* NEW(int[3], {1, 2, 3}): an object from malloc, for code that may free it. */
#undef NEW
#define NEW(type, ...) \
    __builtin_memcpy(__builtin_malloc(sizeof(type)), &(type)__VA_ARGS__, sizeof(type))

/* DELETE(object): gives it back where the code under test has not done so. */
#undef DELETE
#define DELETE(object) __builtin_free((void *)(object))

/* KEEP(result): what the code under test has allocated and handed over is not lost when the test ends. */
#undef KEEP
#define KEEP(object) \
    do { \
        void **branchwise_keeping = __builtin_malloc(sizeof(void *) + sizeof(object)); \
        *branchwise_keeping = branchwise_kept; \
        __builtin_memcpy(branchwise_keeping + 1, (const void *)&(object), sizeof(object)); \
        branchwise_kept = branchwise_keeping; \
    } while (0)
__attribute__((unused)) static void *volatile branchwise_kept;

/* How a test ends: it returns, it aborts, or it exits with a status from 0 to 255. */
#define BRANCHWISE_RETURNS (-1)
#define BRANCHWISE_ABORTS (-2)

/* Three words: the same layout whatever #pragma pack the code under test has left behind. */
struct branchwise_test {
    const char *name;
    void (*run)(BRANCHWISE_PARAMETERS);
    long ends;
};

/* All tests of a file, and one without a name behind them. */
extern const struct branchwise_test branchwise_tests[];

#endif
