/*
 * Linked into the judged binaries: a process that ends by abort(), _exit() or a relative still writes its
 * profile, so that death tests can be measured.
 */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

int __llvm_profile_write_file(void);
void __real__exit(int status) __attribute__((noreturn));
void __real__Exit(int status) __attribute__((noreturn));
void __real_quick_exit(int status) __attribute__((noreturn));

void __wrap__exit(int status)
{
    __llvm_profile_write_file();
    __real__exit(status);
}

void __wrap__Exit(int status)
{
    __llvm_profile_write_file();
    __real__Exit(status);
}

void __wrap_quick_exit(int status)
{
    __llvm_profile_write_file();
    __real_quick_exit(status);
}

static void write_and_die(int signal_number)
{
    __llvm_profile_write_file();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

__attribute__((constructor)) static void install(void)
{
    signal(SIGABRT, write_and_die);
}
