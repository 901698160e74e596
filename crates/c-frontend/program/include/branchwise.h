/* For harnesses: programs that ask branchwise for values. */
#ifndef BRANCHWISE_HARNESS_H
#define BRANCHWISE_HARNESS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Lets the memory have any contents; the name is for people who read the tests. */
void branchwise_symbolic(void *memory, size_t size, const char *name);

/* Runs in which the condition does not hold are none. */
void branchwise_assume(int condition);

#ifdef __cplusplus
}
#endif

#endif
