/* The interface of KLEE, as far as harnesses use it, for `branchwise run`. */
#ifndef BRANCHWISE_KLEE_H
#define BRANCHWISE_KLEE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Input. */
void klee_make_symbolic(void *object, size_t size, const char *name);
int klee_int(const char *name);
int klee_range(int begin, int end, const char *name); /* begin <= value < end */
uintptr_t klee_choose(uintptr_t n);                   /* value < n */

/* Runs in which the condition does not hold are none. */
void klee_assume(uintptr_t condition);
void klee_silent_exit(int status) __attribute__((noreturn));

/* Failures. */
void klee_abort(void) __attribute__((noreturn));
void klee_report_error(const char *file, int line, const char *message, const char *suffix)
    __attribute__((noreturn));
#define klee_assert(condition)                                                                                         \
    ((condition) ? (void)0 : klee_report_error(__FILE__, __LINE__, "ASSERTION FAIL: " #condition, "assert.err"))

/* Hints without meaning here. */
void klee_prefer_cex(void *object, uintptr_t condition);
void klee_posix_prefer_cex(void *object, uintptr_t condition);
void klee_mark_global(void *object);
void klee_warning(const char *message);
void klee_warning_once(const char *message);
void klee_print_expr(const char *message, ...);
void klee_stack_trace(void);
void klee_set_forking(unsigned enable);
void klee_open_merge(void);
void klee_close_merge(void);
unsigned klee_is_symbolic(uintptr_t value);
unsigned klee_is_replay(void);
void klee_check_memory_access(const void *address, size_t size);
size_t klee_get_obj_size(void *object);

/* The value of this run. */
float klee_get_valuef(float value);
double klee_get_valued(double value);
long klee_get_valuel(long value);
long long klee_get_valuell(long long value);
int32_t klee_get_value_i32(int32_t value);
int64_t klee_get_value_i64(int64_t value);

#ifdef __cplusplus
}
#endif

#endif
