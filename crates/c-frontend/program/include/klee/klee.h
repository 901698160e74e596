/* For harnesses that were written for KLEE. */
#ifndef BRANCHWISE_KLEE_H
#define BRANCHWISE_KLEE_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

void klee_make_symbolic(void *memory, size_t size, const char *name);
void klee_assume(uintptr_t condition);
int klee_int(const char *name);
int klee_range(int begin, int end, const char *name);
uintptr_t klee_choose(uintptr_t n);
void klee_prefer_cex(void *object, uintptr_t condition);
__attribute__((noreturn)) void klee_silent_exit(int status);
__attribute__((noreturn)) void klee_report_error(const char *file, int line, const char *message, const char *suffix);
__attribute__((noreturn)) void klee_abort(void);
void klee_warning(const char *text);
void klee_warning_once(const char *text);
unsigned klee_is_symbolic(uintptr_t value);
unsigned klee_is_replay(void);
int32_t klee_get_value_i32(int32_t value);
int64_t klee_get_value_i64(int64_t value);
void klee_open_merge(void);
void klee_close_merge(void);

#ifdef __cplusplus
}
#endif

#define klee_assert(condition) assert(condition)

#endif
