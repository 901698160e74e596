/* The life of the process, and what it may know about its surroundings: nothing that differs from machine to machine. */
#include "program.h"
#include <unistd.h>

#define MOST_HANDLERS 256

static struct {
    void (*plain)(void);
    void (*told)(int, void *);
    void *argument;
} handlers[MOST_HANDLERS];
static int handler_count;

int bw_atexit(void (*handler)(void))
{
    if (handler_count == MOST_HANDLERS)
        return -1;
    handlers[handler_count].told = NULL;
    handlers[handler_count++].plain = handler;
    return 0;
}

int bw_on_exit(void (*handler)(int, void *), void *argument)
{
    if (handler_count == MOST_HANDLERS)
        return -1;
    handlers[handler_count].told = handler;
    handlers[handler_count++].argument = argument;
    return 0;
}

/* A handler may itself exit: the others then run with the new status. */
_Noreturn void bw_exit(int status)
{
    while (handler_count > 0) {
        int i = --handler_count;
        if (handlers[i].told)
            handlers[i].told(status, handlers[i].argument);
        else
            handlers[i].plain();
    }
    exit(status);
}

/* Environment: empty, until the program fills it. */
#define MOST_VARIABLES 256
static char *variables[MOST_VARIABLES + 1];
char **bw_environ = variables, **bw___environ = variables;

static char **find(const char *name, size_t length)
{
    for (char **variable = bw_environ; variable && *variable; variable++)
        if (!strncmp(*variable, name, length) && (*variable)[length] == '=')
            return variable;
    return NULL;
}

char *bw_getenv(const char *name)
{
    size_t length = strlen(name);
    char **variable = find(name, length);
    return variable ? *variable + length + 1 : NULL;
}
char *bw_secure_getenv(const char *name) { return bw_getenv(name); }

int bw_putenv(char *text)
{
    size_t length = strcspn(text, "="), count = 0;
    char **variable = find(text, length);
    while (bw_environ && bw_environ[count])
        count++;
    if (!text[length] || (!variable && (bw_environ != variables || count == MOST_VARIABLES))) {
        errno = text[length] ? ENOMEM : EINVAL;
        return -1;
    }
    *(variable ? variable : &variables[count]) = text;
    return 0;
}

int bw_setenv(const char *name, const char *value, int replace)
{
    if (!*name || strchr(name, '=')) {
        errno = EINVAL;
        return -1;
    }
    if (!replace && find(name, strlen(name)))
        return 0;
    size_t length = strlen(name), rest = strlen(value);
    char *text = malloc(length + rest + 2);
    if (!text)
        return -1;
    memcpy(text, name, length);
    text[length] = '=';
    memcpy(text + length + 1, value, rest + 1);
    return bw_putenv(text);
}

int bw_unsetenv(const char *name)
{
    char **variable;
    while ((variable = find(name, strlen(name))))
        for (; *variable; variable++)
            variable[0] = variable[1];
    return 0;
}

int bw_clearenv(void)
{
    bw_environ = variables;
    variables[0] = NULL;
    return 0;
}

char bwp_name[] = "program";
char *bw_program_invocation_name = bwp_name, *bw_program_invocation_short_name = bwp_name, *bw___progname = bwp_name;

/* Random numbers of 48 bits, as the standard defines them; rand and random of the library are reset by the worker. */
static unsigned long long random_state = 0x1234abcd330eULL;
static unsigned long long step(void)
{
    return random_state = (random_state * 0x5deece66dULL + 0xb) & 0xffffffffffffULL;
}
double bw_drand48(void) { return step() / 281474976710656.0; }
long bw_lrand48(void) { return step() >> 17; }
long bw_mrand48(void) { return (int)(step() >> 16); }
void bw_srand48(long seed) { random_state = ((unsigned long long)(unsigned)seed << 16) | 0x330e; }

/* Messages; the library's own would end the process that runs us. */
static void say(const char *format, va_list rest, int number)
{
    fprintf(stderr, "%s: ", bwp_name);
    if (format)
        vfprintf(stderr, format, rest);
    if (number)
        fprintf(stderr, ": %s", strerror(number));
    fputc('\n', stderr);
}

unsigned bw_error_message_count;
int bw_error_one_per_line;
void (*bw_error_print_progname)(void);

void bw_error(int status, int number, const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    fflush(stdout);
    say(format, rest, number);
    va_end(rest);
    bw_error_message_count++;
    if (status)
        bw_exit(status);
}

void bw_error_at_line(int status, int number, const char *file, unsigned line, const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    fflush(stdout);
    fprintf(stderr, "%s:%u: ", file, line);
    say(format, rest, number);
    va_end(rest);
    bw_error_message_count++;
    if (status)
        bw_exit(status);
}

void bw_vwarn(const char *format, va_list rest) { say(format, rest, errno); }
void bw_vwarnx(const char *format, va_list rest) { say(format, rest, 0); }
void bw_warn(const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    say(format, rest, errno);
    va_end(rest);
}
void bw_warnx(const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    say(format, rest, 0);
    va_end(rest);
}
_Noreturn void bw_verr(int status, const char *format, va_list rest)
{
    say(format, rest, errno);
    bw_exit(status);
}
_Noreturn void bw_verrx(int status, const char *format, va_list rest)
{
    say(format, rest, 0);
    bw_exit(status);
}
_Noreturn void bw_err(int status, const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    bw_verr(status, format, rest);
}
_Noreturn void bw_errx(int status, const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    bw_verrx(status, format, rest);
}

/* The library's own would move blocks that are not its own. */
void *bw_reallocarray(void *block, size_t count, size_t size)
{
    size_t all;
    if (__builtin_mul_overflow(count, size, &all)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(block, all);
}
