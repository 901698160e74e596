/* How a harness ends by calls. */
#include "program.h"

/* Of a test that branchwise wrote, every assumption holds. */
_Noreturn void bwp_reject(void)
{
    fprintf(stderr, "harness: an assumption does not hold\n");
    exit(125);
}

_Noreturn void klee_silent_exit(int status) { (void)status, bwp_reject(); }
_Noreturn void klee_abort(void) { abort(); }
_Noreturn void klee_report_error(const char *file, int line, const char *message, const char *suffix)
{
    fprintf(stderr, "%s:%d: %s (%s)\n", file, line, message, suffix);
    abort();
}
_Noreturn void __VERIFIER_error(void) { abort(); }
_Noreturn void reach_error(void) { abort(); }
