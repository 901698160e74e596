/* Signals: nobody sends any but the program itself, and those arrive at once. */
#include "program.h"
#include <signal.h>
#include <unistd.h>

static struct sigaction actions[NSIG];
static sigset_t blocked, waiting;

static int is_signal(int number)
{
    if (number > 0 && number < NSIG)
        return 1;
    errno = EINVAL;
    return 0;
}

static int may_be_handled(int number)
{
    if (is_signal(number) && number != SIGKILL && number != SIGSTOP)
        return 1;
    errno = EINVAL;
    return 0;
}

int bw_sigaction(int number, const struct sigaction *new, struct sigaction *old)
{
    if (!(new ? may_be_handled(number) : is_signal(number)))
        return -1;
    if (old)
        *old = actions[number];
    if (new)
        actions[number] = *new;
    return 0;
}

typedef void (*handler)(int);

handler bw_signal(int number, handler new)
{
    struct sigaction action = {.sa_handler = new, .sa_flags = SA_RESTART}, old;
    return bw_sigaction(number, &action, &old) ? SIG_ERR : old.sa_handler;
}

handler bw_bsd_signal(int number, handler new) { return bw_signal(number, new); }
handler bw___sysv_signal(int number, handler new)
{
    struct sigaction action = {.sa_handler = new, .sa_flags = SA_RESETHAND | SA_NODEFER}, old;
    return bw_sigaction(number, &action, &old) ? SIG_ERR : old.sa_handler;
}
int bw_siginterrupt(int number, int flag) { return (void)number, (void)flag, 0; }

/* What a signal does that nobody wants. */
static void by_default(int number)
{
    switch (number) {
    case SIGCHLD: case SIGCONT: case SIGURG: case SIGWINCH: case SIGSTOP: case SIGTSTP: case SIGTTIN: case SIGTTOU:
        return;
    case SIGSEGV: case SIGBUS: case SIGFPE: case SIGILL: case SIGTRAP:
        raise(number);
    }
    abort();
}

static void deliver(int number)
{
    struct sigaction action = actions[number];
    if (action.sa_handler == SIG_IGN)
        return;
    if (action.sa_handler == SIG_DFL) {
        by_default(number);
        return;
    }
    if (action.sa_flags & SA_RESETHAND)
        actions[number].sa_handler = SIG_DFL;
    sigset_t before = blocked;
    sigorset(&blocked, &blocked, &action.sa_mask);
    if (!(action.sa_flags & SA_NODEFER))
        sigaddset(&blocked, number);
    if (action.sa_flags & SA_SIGINFO) {
        siginfo_t info = {.si_signo = number, .si_code = SI_TKILL};
        action.sa_sigaction(number, &info, NULL);
    } else
        action.sa_handler(number);
    blocked = before;
}

static void deliver_waiting(void)
{
    for (int number = 1; number < NSIG; number++)
        if (sigismember(&waiting, number) == 1 && sigismember(&blocked, number) != 1) {
            sigdelset(&waiting, number);
            deliver(number);
        }
}

int bw_raise(int number)
{
    if (number == 0)
        return 0;
    if (!is_signal(number))
        return -1;
    if (sigismember(&blocked, number) == 1)
        sigaddset(&waiting, number);
    else
        deliver(number);
    return 0;
}

int bw_gsignal(int number) { return bw_raise(number); }
int bw_pthread_kill(pthread_t thread, int number) { return (void)thread, bw_raise(number) ? EINVAL : 0; }

/* Other processes are out of reach. */
int bw_kill(pid_t process, int number)
{
    extern pid_t bw_getpid(void);
    if (process == bw_getpid() || process == 0)
        return bw_raise(number);
    errno = ESRCH;
    return -1;
}

int bw_killpg(int group, int number) { return bw_kill(group, number); }

int bw_sigprocmask(int how, const sigset_t *new, sigset_t *old)
{
    if (old)
        *old = blocked;
    if (!new)
        return 0;
    sigset_t all = *new;
    switch (how) {
    case SIG_BLOCK: sigorset(&blocked, &blocked, new); break;
    case SIG_SETMASK: blocked = *new; break;
    case SIG_UNBLOCK:
        for (int number = 1; number < NSIG; number++)
            if (sigismember(&all, number) == 1)
                sigdelset(&blocked, number);
        break;
    default: errno = EINVAL; return -1;
    }
    deliver_waiting();
    return 0;
}

int bw_pthread_sigmask(int how, const sigset_t *new, sigset_t *old)
{
    return bw_sigprocmask(how, new, old) ? EINVAL : 0;
}

int bw_sigpending(sigset_t *to)
{
    *to = waiting;
    return 0;
}

int bw_sigaltstack(const stack_t *new, stack_t *old)
{
    (void)new;
    if (old)
        *old = (stack_t){.ss_flags = SS_DISABLE};
    return 0;
}

/* Waits for a signal; without one it waits for ever, which the count of steps ends. */
static int wait_for_any(void)
{
    int any = 0;
    for (int number = 1; number < NSIG; number++)
        any |= sigismember(&waiting, number) == 1;
    if (!any)
        for (;;)
            ;
    deliver_waiting();
    errno = EINTR;
    return -1;
}

int bw_pause(void) { return wait_for_any(); }

int bw_sigsuspend(const sigset_t *mask)
{
    sigset_t before = blocked;
    blocked = *mask;
    wait_for_any();
    blocked = before;
    return -1;
}
