/* What would change the process itself: done so that the next run finds it as it was, or not at all. */
#include "program.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

/* Stands for the folder in which every run begins, once a run has left it. */
#define HOME (BW_FIRST_OWN_DESCRIPTOR - 1)

/* A run does not know whether the one before it moved. */
void bwp_go_home(void)
{
    int number = errno;
    if (fchdir(HOME) != 0)
        errno = number;
}

static void remember_home(void)
{
    if (fcntl(HOME, F_GETFD) >= 0)
        return;
    int here = open(".", O_PATH | O_DIRECTORY);
    dup2(here, HOME);
    close(here);
}

int bw_chdir(const char *name)
{
    remember_home();
    return chdir(name);
}

int bw_fchdir(int descriptor)
{
    remember_home();
    return fchdir(descriptor);
}

/* Memory comes from the heap, which is emptied after the run. Programs that would like to map a file read it when they
 * cannot. */
void *bw_mmap(void *at, size_t length, int protection, int flags, int descriptor, off_t offset)
{
    (void)at, (void)protection, (void)descriptor, (void)offset;
    if (!(flags & MAP_ANONYMOUS) || length == 0) {
        errno = length ? ENODEV : EINVAL;
        return MAP_FAILED;
    }
    size_t page = 4096, whole = (length + page - 1) / page * page;
    void *block = aligned_alloc(page, whole);
    if (!block) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return memset(block, 0, whole);
}
void *bw_mmap64(void *at, size_t length, int protection, int flags, int descriptor, off_t offset)
{
    return bw_mmap(at, length, protection, flags, descriptor, offset);
}
int bw_munmap(void *at, size_t length) { return (void)at, (void)length, 0; }
int bw_mprotect(void *at, size_t length, int protection) { return (void)at, (void)length, (void)protection, 0; }
int bw_madvise(void *at, size_t length, int advice) { return (void)at, (void)length, (void)advice, 0; }

/* The layout of the process is not the program's. */
int bw_mincore(void *at, size_t length, unsigned char *pages)
{
    (void)at, (void)length, (void)pages;
    errno = ENOSYS;
    return -1;
}

/* The shell reports a death by signal as this status too. */
int bw_raise(int number)
{
    switch (number) {
    case SIGABRT: abort();
    case SIGCHLD:
    case SIGCONT:
    case SIGURG:
    case SIGWINCH: return 0;
    default: _exit(128 + number);
    }
}
