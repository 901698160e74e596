#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

int branchwise_same_float(long double actual, long double expected);

/* Any NaN equals any NaN; -0.0 and 0.0 differ. */
#define assert_same_float(actual, expected) assert_true(branchwise_same_float(actual, expected))

#define BRANCHWISE_PARAMETERS void **state
