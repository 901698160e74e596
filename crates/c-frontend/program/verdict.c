/* What a harness says without asking for anything: which runs count, and hints. Failures are synonyms of abort. */
#include "program.h"

/* Ends the run: nothing that follows happened in a world that the harness allows. */
_Noreturn void bwp_reject(void);

void branchwise_assume(int condition)
{
    if (!condition)
        bwp_reject();
}

void klee_assume(uintptr_t condition)
{
    if (!condition)
        bwp_reject();
}

void __VERIFIER_assume(int condition)
{
    if (!condition)
        bwp_reject();
}

void klee_prefer_cex(void *object, uintptr_t condition) { (void)object, (void)condition; }
void klee_posix_prefer_cex(void *object, uintptr_t condition) { (void)object, (void)condition; }
void klee_mark_global(void *object) { (void)object; }
void klee_warning(const char *text) { (void)text; }
void klee_warning_once(const char *text) { (void)text; }
void klee_print_expr(const char *text, ...) { (void)text; }
void klee_stack_trace(void) {}
void klee_set_forking(unsigned enable) { (void)enable; }
void klee_open_merge(void) {}
void klee_close_merge(void) {}
unsigned klee_is_symbolic(uintptr_t value) { return (void)value, 0; }
unsigned klee_is_replay(void) { return 0; }

/* A run that goes on after this one has read all of it. */
void klee_check_memory_access(const void *address, size_t size)
{
    const volatile unsigned char *bytes = address;
    for (size_t i = 0; i < size; i++)
        (void)bytes[i];
}
size_t klee_get_obj_size(void *object)
{
    extern size_t malloc_usable_size(void *);
    return malloc_usable_size(object);
}

float klee_get_valuef(float value) { return value; }
double klee_get_valued(double value) { return value; }
long klee_get_valuel(long value) { return value; }
long long klee_get_valuell(long long value) { return value; }
int32_t klee_get_value_i32(int32_t value) { return value; }
int64_t klee_get_value_i64(int64_t value) { return value; }
