/*
 * Runs the tests of one file, each in a process of its own. Written by Branchwise; goes with branchwise.h.
 *
 *     test_x                runs all tests
 *     test_x NAME...        runs these
 *     test_x --no-death     leaves out those that are expected to exit or abort
 *     test_x --list         prints the names
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "branchwise.h"

enum { TIME_LIMIT = 10 };

/* What a test tells its parent. In shared memory, since the code under test may close every file. */
static struct {
    int failures;
    int returned;
} *shared;

/* Where failures are reported: standard output belongs to the code under test. */
static int report;

static void call_test(const struct branchwise_test *test);

/* Coverage counters are written at exit. Whoever leaves by another door would lose them. */
extern int __llvm_profile_write_file(void) __attribute__((weak));

static void write_profile(int signal_number)
{
    (void)signal_number;
    if (__llvm_profile_write_file)
        __llvm_profile_write_file();
}

#ifndef __SANITIZE_ADDRESS__
void _exit(int status)
{
    write_profile(0);
    for (;;)
        syscall(SYS_exit_group, status);
}

void _Exit(int status)
{
    _exit(status);
}
#endif

static void redirect(int from, const char *path, int flags)
{
    int file = open(path, flags);

    if (file >= 0 && file != from) {
        dup2(file, from);
        close(file);
    }
}

static void run_in_child(const struct branchwise_test *test)
{
    struct rlimit no_core = {0, 0};

    setrlimit(RLIMIT_CORE, &no_core);
    redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
    redirect(STDOUT_FILENO, "/dev/null", O_WRONLY);
    if (test->ends != BRANCHWISE_RETURNS)
        redirect(STDERR_FILENO, "/dev/null", O_WRONLY);
    signal(SIGABRT, write_profile);
    alarm(TIME_LIMIT);
    call_test(test);
    shared->returned = 1;
    exit(shared->failures ? EXIT_FAILURE : EXIT_SUCCESS);
}

static int is_as_expected(const struct branchwise_test *test, int status)
{
    if (test->ends == BRANCHWISE_RETURNS)
        return shared->returned && !shared->failures && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (shared->returned)
        return 0;
    if (test->ends == BRANCHWISE_ABORTS)
        return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
    return WIFEXITED(status) && WEXITSTATUS(status) == test->ends;
}

static void print_reason(const struct branchwise_test *test, int status)
{
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        printf(" (did not end within %d s)", TIME_LIMIT);
    else if (WIFSIGNALED(status))
        printf(" (signal %d)", WTERMSIG(status));
    else if (!shared->returned)
        printf(" (exit status %d)", WEXITSTATUS(status));
    else if (test->ends != BRANCHWISE_RETURNS)
        printf(" (returned)");
    else if (!shared->failures)
        printf(" (exit status %d after it returned)", WEXITSTATUS(status));
}

/* Returns whether the test passed. */
static int run(const struct branchwise_test *test)
{
    int status = 0;
    int passed;
    pid_t child;

    shared->failures = 0;
    shared->returned = 0;
    fflush(NULL);
    child = fork();
    if (child == 0)
        run_in_child(test);
    if (child < 0) {
        printf("FAIL %s (fork: %s)\n", test->name, strerror(errno));
        return 0;
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    passed = is_as_expected(test, status);
    printf("%s %s", passed ? "ok" : "FAIL", test->name);
    if (!passed)
        print_reason(test, status);
    printf("\n");
    return passed;
}

static int is_wanted(const struct branchwise_test *test, char **names)
{
    if (!*names)
        return 1;
    while (*names && strcmp(*names, test->name) != 0)
        names++;
    return *names != NULL;
}

static int knows(const char *name)
{
    const struct branchwise_test *test;

    for (test = branchwise_tests; test->name; test++) {
        if (strcmp(name, test->name) == 0)
            return 1;
    }
    fprintf(stderr, "no such test: %s\n", name);
    return 0;
}

static int run_all(int no_death, char **names)
{
    const struct branchwise_test *test;
    int passed = 0;
    int failed = 0;

    for (test = branchwise_tests; test->name; test++) {
        if (!is_wanted(test, names) || (no_death && test->ends != BRANCHWISE_RETURNS))
            continue;
        if (run(test))
            passed++;
        else
            failed++;
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int list(void)
{
    const struct branchwise_test *test;

    for (test = branchwise_tests; test->name; test++)
        puts(test->name);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    int no_death = argc > 1 && strcmp(argv[1], "--no-death") == 0;
    char **names = argc > 0 ? argv + 1 + no_death : argv;
    char **name;

    if (argc > 1 && strcmp(argv[1], "--list") == 0)
        return list();
    for (name = names; *name; name++) {
        if (!knows(*name))
            return 2;
    }
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        perror("mmap");
        return 2;
    }
    report = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 100);
    return run_all(no_death, names);
}

static int same_float(long double actual, long double expected)
{
    if (isnan(actual) || isnan(expected))
        return isnan(actual) && isnan(expected);
    return actual == expected && !signbit(actual) == !signbit(expected);
}

