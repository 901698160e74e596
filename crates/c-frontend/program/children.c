/*
 * What cannot be undone: the run is repeated in a process of its own, where it is really done, as far as the sandbox
 * allows.
 */
#include "program.h"
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns if the run has a process of its own. */
void bwp_alone(void);

/* Memory of the parent must not be borrowed: its story is told there. */
pid_t bw_fork(void) { return bwp_alone(), fork(); }
pid_t bw_vfork(void) { return bwp_alone(), fork(); }
int bw_daemon(int folder, int streams) { return bwp_alone(), daemon(folder, streams); }
pid_t bw_setsid(void) { return bwp_alone(), setsid(); }
int bw_setpgid(pid_t process, pid_t group) { return bwp_alone(), setpgid(process, group); }

pid_t bw_waitpid(pid_t process, int *status, int options)
{
    int real = 0;
    pid_t ended = waitpid(process, &real, options);
    if (status && ended > 0)
        *status = real;
    return ended;
}
pid_t bw_wait(int *status) { return bw_waitpid(-1, status, 0); }

int bw_system(const char *command) { return bwp_alone(), system(command); }
FILE *bw_popen(const char *command, const char *mode) { return bwp_alone(), popen(command, mode); }

int bw_posix_spawn(pid_t *process, const char *path, const posix_spawn_file_actions_t *actions,
                   const posix_spawnattr_t *attributes, char *const words[], char *const environment[])
{
    return bwp_alone(), posix_spawn(process, path, actions, attributes, words, environment);
}
int bw_posix_spawnp(pid_t *process, const char *path, const posix_spawn_file_actions_t *actions,
                    const posix_spawnattr_t *attributes, char *const words[], char *const environment[])
{
    return bwp_alone(), posix_spawnp(process, path, actions, attributes, words, environment);
}

extern char **bw_environ;
int bw_execve(const char *path, char *const words[], char *const environment[])
{
    return bwp_alone(), execve(path, words, environment);
}
int bw_execv(const char *path, char *const words[]) { return bw_execve(path, words, bw_environ); }
int bw_execvp(const char *name, char *const words[]) { return bwp_alone(), execvpe(name, words, bw_environ); }
int bw_execvpe(const char *name, char *const words[], char *const environment[])
{
    return bwp_alone(), execvpe(name, words, environment);
}

#define MOST_WORDS 256
#define COLLECT(words, first, rest)                                                                                    \
    int count = 0;                                                                                                     \
    va_start(rest, first);                                                                                             \
    for (char *word = (char *)first; word && count < MOST_WORDS; word = va_arg(rest, char *))                           \
        words[count++] = word;                                                                                         \
    words[count] = NULL;

int bw_execl(const char *path, const char *first, ...)
{
    char *words[MOST_WORDS + 1];
    va_list rest;
    COLLECT(words, first, rest)
    va_end(rest);
    return bw_execv(path, words);
}
int bw_execlp(const char *name, const char *first, ...)
{
    char *words[MOST_WORDS + 1];
    va_list rest;
    COLLECT(words, first, rest)
    va_end(rest);
    return bw_execvp(name, words);
}
int bw_execle(const char *path, const char *first, ...)
{
    char *words[MOST_WORDS + 1];
    va_list rest;
    COLLECT(words, first, rest)
    char **environment = va_arg(rest, char **);
    va_end(rest);
    return bw_execve(path, words, environment);
}

/* Standard streams and the folder belong to the process. */
int bw_dup3(int from, int to, int flags)
{
    if (bwp_source_of_descriptor(from)) {
        errno = EMFILE;
        return -1;
    }
    if (to < BW_FIRST_OWN_DESCRIPTOR)
        bwp_alone();
    return from == to && !flags ? to : dup3(from, to, flags);
}
int bw_dup2(int from, int to) { return bw_dup3(from, to, 0); }
int bw_chdir(const char *name) { return bwp_alone(), chdir(name); }
int bw_fchdir(int folder) { return bwp_alone(), fchdir(folder); }
int bw_setrlimit(int what, const struct rlimit *limit) { return bwp_alone(), setrlimit(what, limit); }

/* The network is out of reach; a pair of ends is not. */
int bw_socket(int domain, int type, int protocol)
{
    (void)domain, (void)type, (void)protocol;
    errno = EPERM;
    return -1;
}
int bw_socketpair(int domain, int type, int protocol, int ends[2])
{
    return bwp_alone(), socketpair(domain, type, protocol, ends);
}
