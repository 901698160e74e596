/* For harnesses: programs that say by themselves what their input is. `branchwise run` supplies the functions. */
#ifndef BRANCHWISE_H
#define BRANCHWISE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Fills the object with input. The name is for reports and may be NULL. */
void branchwise_symbolic(void *object, size_t size, const char *name);

/* Runs in which the condition does not hold are none. */
void branchwise_assume(int condition);

#ifdef __cplusplus
}
#endif

#endif
