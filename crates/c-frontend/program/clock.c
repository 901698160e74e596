/*
 * What differs from run to run, first of all the time. It stands still but for looking at it, a millisecond each, and for sleeping, so that a run repeats itself and a
 * program that waits gets on. Workers that repeat a run elsewhere in memory see another time,
 * and what depends on the time is found out.
 */
#include "program.h"
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>

/* Some day in 2020. */
#define BEGIN 1600000000LL
#define LOOK 1000000LL
#define SECOND 1000000000LL

static long long passed; /* nanoseconds */

static long long begin(void) { return BEGIN + bwp_elsewhere() * 60; }

static struct timespec look(long long from)
{
    passed += LOOK;
    return (struct timespec){.tv_sec = from + passed / SECOND, .tv_nsec = passed % SECOND};
}

time_t bw_time(time_t *to)
{
    time_t now = look(begin()).tv_sec;
    if (to)
        *to = now;
    return now;
}

int bw_clock_gettime(clockid_t clock, struct timespec *to)
{
    *to = look(clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI ? begin() : 0);
    return 0;
}

int bw_timespec_get(struct timespec *to, int base)
{
    if (base != TIME_UTC)
        return 0;
    *to = look(begin());
    return base;
}

int bw_clock_getres(clockid_t clock, struct timespec *to)
{
    (void)clock;
    if (to)
        *to = (struct timespec){.tv_nsec = LOOK};
    return 0;
}

int bw_gettimeofday(struct timeval *to, void *zone)
{
    struct timespec now = look(begin());
    if (zone)
        *(struct timezone *)zone = (struct timezone){0};
    if (to)
        *to = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return 0;
}

static long long look_at_work(void)
{
    struct timespec spent = look(0);
    return spent.tv_sec * SECOND + spent.tv_nsec;
}

clock_t bw_clock(void) { return look_at_work() / (SECOND / CLOCKS_PER_SEC); }

clock_t bw_times(struct tms *to)
{
    clock_t spent = look_at_work() / (SECOND / 100);
    *to = (struct tms){.tms_utime = spent};
    return spent;
}

int bw_getrusage(int who, struct rusage *to)
{
    long long spent = look_at_work();
    (void)who;
    *to = (struct rusage){.ru_utime = {.tv_sec = spent / SECOND, .tv_usec = spent % SECOND / 1000}};
    return 0;
}

/* Sleeping takes no time. */
static void sleep_for(long long nanoseconds)
{
    if (nanoseconds > 0)
        passed += nanoseconds;
}

unsigned bw_sleep(unsigned seconds) { return sleep_for(seconds * SECOND), 0; }
int bw_usleep(useconds_t micros) { return sleep_for(micros * 1000LL), 0; }

int bw_nanosleep(const struct timespec *time, struct timespec *left)
{
    if (time->tv_nsec < 0 || time->tv_nsec >= SECOND || time->tv_sec < 0) {
        errno = EINVAL;
        return -1;
    }
    sleep_for(time->tv_sec * SECOND + time->tv_nsec);
    if (left)
        *left = (struct timespec){0};
    return 0;
}

int bw_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left)
{
    long long from = clock == CLOCK_REALTIME ? begin() : 0;
    if (!(flags & TIMER_ABSTIME))
        return bw_nanosleep(time, left) ? errno : 0;
    sleep_for((time->tv_sec - from) * SECOND + time->tv_nsec - passed);
    return 0;
}

/* Nobody's alarm goes off. */
unsigned bw_alarm(unsigned seconds) { return (void)seconds, 0; }
int bw_setitimer(int which, const struct itimerval *new, struct itimerval *old)
{
    (void)which, (void)new;
    if (old)
        *old = (struct itimerval){0};
    return 0;
}

/* Everywhere it is as late as in Greenwich. */
char *bw_tzname[2] = {"UTC", "UTC"};
long bw_timezone;
int bw_daylight;
void bw_tzset(void) {}
struct tm *bw_localtime(const time_t *time) { return gmtime(time); }
struct tm *bw_localtime_r(const time_t *restrict time, struct tm *restrict to) { return gmtime_r(time, to); }
time_t bw_mktime(struct tm *time) { return timegm(time); }
char *bw_ctime(const time_t *time) { return asctime(gmtime(time)); }
char *bw_ctime_r(const time_t *time, char *to)
{
    struct tm parts;
    return asctime_r(gmtime_r(time, &parts), to);
}

/* Numbers of processes differ from run to run. */
pid_t bw_getpid(void) { return 1000 + bwp_elsewhere(); }
pid_t bw_getppid(void) { return 900 + bwp_elsewhere() % 100; }

/* What is random on purpose differs in every process. */
ssize_t bw_getrandom(void *to, size_t size, unsigned flags)
{
    unsigned char *bytes = to;
    unsigned long long state = bwp_elsewhere();
    (void)flags;
    for (size_t i = 0; i < size; i++) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        bytes[i] = state >> 56;
    }
    return size;
}
int bw_getentropy(void *to, size_t size) { return bw_getrandom(to, size, 0), 0; }
