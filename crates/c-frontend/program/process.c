/* The life of the process, and what it may know about its surroundings: nothing that differs from machine to machine. */
#include "program.h"
#include <libintl.h>
#include <locale.h>
#include <signal.h>

static void (*handlers[64])(void);
static int handler_count;

int bw_atexit(void (*handler)(void))
{
    if (handler_count == 64)
        return -1;
    handlers[handler_count++] = handler;
    return 0;
}

_Noreturn void bw_exit(int status)
{
    while (handler_count > 0)
        handlers[--handler_count]();
    exit(status);
}

/* Environment: empty. */
char *bwp_no_environment[1];
char **bw_environ = bwp_no_environment, **bw___environ = bwp_no_environment;
char *bw_getenv(const char *name) { return (void)name, NULL; }
char *bw_secure_getenv(const char *name) { return (void)name, NULL; }
int bw_setenv(const char *name, const char *value, int replace) { return (void)name, (void)value, (void)replace, 0; }
int bw_putenv(char *text) { return (void)text, 0; }
int bw_unsetenv(const char *name) { return (void)name, 0; }
int bw_clearenv(void) { return 0; }

char bwp_name[] = "program";
char *bw_program_invocation_name = bwp_name, *bw_program_invocation_short_name = bwp_name, *bw___progname = bwp_name;

/* Language: that of the "C" locale. */
char *bw_setlocale(int category, const char *name)
{
    static char c[] = "C";
    (void)category;
    return !name || !*name || !strcmp(name, "C") || !strcmp(name, "POSIX") ? c : NULL;
}
char *bw_bindtextdomain(const char *domain, const char *folder) { return (void)domain, (char *)folder; }
char *bw_bind_textdomain_codeset(const char *domain, const char *set) { return (void)domain, (char *)set; }
char *bw_textdomain(const char *domain) { return (char *)domain; }
char *bw_gettext(const char *text) { return (char *)text; }
char *bw_dgettext(const char *domain, const char *text) { return (void)domain, (char *)text; }
char *bw_dcgettext(const char *domain, const char *text, int category)
{
    return (void)domain, (void)category, (char *)text;
}
char *bw_ngettext(const char *one, const char *many, unsigned long n) { return (char *)(n == 1 ? one : many); }
char *bw_dcngettext(const char *domain, const char *one, const char *many, unsigned long n, int category)
{
    return (void)domain, (void)category, bw_ngettext(one, many, n);
}

/* Signals: nobody sends any. */
typedef void (*handler)(int);
handler bw_signal(int number, handler new) { return (void)number, (void)new, SIG_DFL; }
int bw_sigaction(int number, const struct sigaction *new, struct sigaction *old)
{
    (void)number, (void)new;
    if (old)
        *old = (struct sigaction){.sa_handler = SIG_DFL};
    return 0;
}
int bw_sigprocmask(int how, const sigset_t *new, sigset_t *old)
{
    (void)how, (void)new;
    if (old)
        sigemptyset(old);
    return 0;
}
int bw_pthread_sigmask(int how, const sigset_t *new, sigset_t *old) { return bw_sigprocmask(how, new, old); }
int bw_sigaltstack(const stack_t *new, stack_t *old)
{
    (void)new;
    if (old)
        *old = (stack_t){.ss_flags = SS_DISABLE};
    return 0;
}
int bw_siginterrupt(int number, int flag) { return (void)number, (void)flag, 0; }

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
