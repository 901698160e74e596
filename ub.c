#include "ub.h"
static int mode;
int b(void) { return mode + hidden == 5; }
