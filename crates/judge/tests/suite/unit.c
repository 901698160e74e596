#include <assert.h>
#include <stdlib.h>
#include <unistd.h>
#include "unit.h"

int plain(int a)
{
    if (0)
        a = 4;
    while (1) {
        if (a > 3)
            break;
        a += 10;
    }
    return a;
}

int macros(int a, int b)
{
    if (BOTH(a, b))
        return 1;
    return BOTH(b, a + 5);
}

static int dying(int x)
{
    assert(x != 9);
    if (x == 1)
        exit(3);
    if (x == 2)
        _exit(4);
    return is_small(x);
}
