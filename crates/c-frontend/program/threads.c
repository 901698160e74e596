/*
 * Threads run one after the other: each from its creation to its end. That is one of the orders in which the machine
 * may run them, and it repeats itself. A thread that waits for what only a later one does waits for ever, and the count
 * of steps ends it.
 */
#include "program.h"
#include <pthread.h>
#include <setjmp.h>
#include <semaphore.h>
#include <threads.h>

#define MOST 64

static struct thread {
    void *result;
    jmp_buf end;
} threads[MOST + 1];
static unsigned long count, current; /* thread 0 is the main one */

static void *run(void *(*body)(void *), void *argument)
{
    unsigned long before = current;
    current = ++count;
    struct thread *thread = &threads[current];
    if (setjmp(thread->end) == 0)
        thread->result = body(argument);
    current = before;
    return thread->result;
}

int bw_pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*body)(void *), void *argument)
{
    (void)attributes;
    if (count == MOST)
        return EAGAIN;
    *id = count + 1;
    run(body, argument);
    return 0;
}

_Noreturn void bw_pthread_exit(void *result)
{
    if (current == 0)
        bw_exit(0);
    threads[current].result = result;
    longjmp(threads[current].end, 1);
}

int bw_pthread_join(pthread_t id, void **result)
{
    if (id == 0 || id > count)
        return ESRCH;
    if (result)
        *result = threads[id].result;
    return 0;
}

int bw_pthread_detach(pthread_t id) { return id > count ? ESRCH : 0; }
pthread_t bw_pthread_self(void) { return current; }
int bw_pthread_cancel(pthread_t id) { return id > count ? ESRCH : 0; }
int bw_pthread_setname_np(pthread_t id, const char *name) { return (void)id, (void)name, 0; }

static void wait_for_ever(void)
{
    for (;;)
        ;
}

/* Locks: whoever finds one taken finds it taken by itself. */
static int take(int *taken)
{
    if (*taken)
        return EBUSY;
    *taken = 1;
    return 0;
}

/* The first words of a real mutex mean the same: taken or not, and of which kind. */
struct mutex { int taken; unsigned depth; int owner; unsigned users; int kind; };

int bw_pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    struct mutex *m = (struct mutex *)mutex;
    if (m->kind == PTHREAD_MUTEX_RECURSIVE && m->taken) {
        m->depth++;
        return 0;
    }
    return take(&m->taken);
}

int bw_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    struct mutex *m = (struct mutex *)mutex;
    if (bw_pthread_mutex_trylock(mutex) == 0)
        return 0;
    if (m->kind == PTHREAD_MUTEX_ERRORCHECK)
        return EDEADLK;
    wait_for_ever();
    return 0;
}

int bw_pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *time)
{
    (void)time;
    return bw_pthread_mutex_trylock(mutex) ? ETIMEDOUT : 0;
}

int bw_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    struct mutex *m = (struct mutex *)mutex;
    if (m->depth > 0) {
        m->depth--;
        return 0;
    }
    if (m->kind == PTHREAD_MUTEX_ERRORCHECK && !m->taken)
        return EPERM;
    m->taken = 0;
    return 0;
}

/* A condition that does not hold yet never will. */
int bw_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    (void)condition, (void)mutex;
    wait_for_ever();
    return 0;
}
int bw_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *time)
{
    return (void)condition, (void)mutex, (void)time, ETIMEDOUT;
}
int bw_pthread_cond_signal(pthread_cond_t *condition) { return (void)condition, 0; }
int bw_pthread_cond_broadcast(pthread_cond_t *condition) { return (void)condition, 0; }

int bw_sem_wait(sem_t *semaphore)
{
    if (sem_trywait(semaphore) != 0)
        wait_for_ever();
    return 0;
}
int bw_sem_timedwait(sem_t *semaphore, const struct timespec *time)
{
    (void)time;
    if (sem_trywait(semaphore) == 0)
        return 0;
    errno = ETIMEDOUT;
    return -1;
}

int bw_pthread_once(pthread_once_t *once, void (*body)(void))
{
    if (*once == PTHREAD_ONCE_INIT) {
        *once = 2;
        body();
    }
    return 0;
}

/* The same in the words of C11. */
int bw_thrd_create(thrd_t *id, thrd_start_t body, void *argument)
{
    if (count == MOST)
        return thrd_error;
    *id = count + 1;
    run((void *(*)(void *))(void *)body, argument);
    return thrd_success;
}
int bw_thrd_join(thrd_t id, int *result)
{
    void *value;
    if (bw_pthread_join(id, &value))
        return thrd_error;
    if (result)
        *result = (int)(intptr_t)value;
    return thrd_success;
}
int bw_thrd_detach(thrd_t id) { return bw_pthread_detach(id) ? thrd_error : thrd_success; }
thrd_t bw_thrd_current(void) { return current; }
_Noreturn void bw_thrd_exit(int result) { bw_pthread_exit((void *)(intptr_t)result); }
