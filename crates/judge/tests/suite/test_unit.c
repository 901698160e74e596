#include "unit.c"
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#ifndef EXPECTED
#define EXPECTED 11
#endif

static int plain_line_11_false(void) { return plain(1) == EXPECTED; }
static int plain_line_11_true(void) { return plain(7) == 7; }
static int macros_line_20_true(void) { return macros(1, 1) == 1; }
static int macros_line_22_true(void) { return macros(-1, 2) == 1; }
static int dying_returns(void) { return dying(5) == 0; }
static int dying_aborts(void) { dying(9); return 0; }
static int dying_exits(void) { dying(1); return 0; }
static int dying_exits_at_once(void) { dying(2); return 0; }

static const struct { const char *name; int (*run)(void); int status, death; } tests[] = {
    {"plain_line_11_false", plain_line_11_false, 0, 0},
    {"plain_line_11_true", plain_line_11_true, 0, 0},
    {"macros_line_20_true", macros_line_20_true, 0, 0},
    {"macros_line_22_true", macros_line_22_true, 0, 0},
    {"dying_returns", dying_returns, 0, 0},
    {"dying_aborts", dying_aborts, 6, 1},
    {"dying_exits", dying_exits, 3 << 8, 1},
    {"dying_exits_at_once", dying_exits_at_once, 4 << 8, 1},
};

int main(int argc, char **argv)
{
    int skip = argc > 1 && !strcmp(argv[1], "--no-death"), passed = 0, failed = 0;

    for (unsigned i = 0; i < sizeof tests / sizeof *tests; i++) {
        if (skip && tests[i].death)
            continue;
        fflush(stdout);
        pid_t child = fork();
        if (child == 0)
            exit(!tests[i].run());
        int status;
        waitpid(child, &status, 0);
        if ((status & ~0x80) == tests[i].status)
            passed++;
        else
            printf("FAIL %s\n", tests[i].name), failed++;
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
