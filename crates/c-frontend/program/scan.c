/* scanf on our sources: the conversions of everyday programs. */
#include "program.h"
#include <limits.h>

#define MOST_OF_A_NUMBER 256

static struct source *from;

/* The library's tables would be addresses that depend on the input. */
static int is_space(int c) { return (c == ' ') | ((unsigned)c - '\t' < 5); }
static int is_digit(int c) { return (unsigned)c - '0' < 10; }

static int peek(void) { return bwp_peek(from); }

static void skip_space(void)
{
    for (int c; (c = peek()) != EOF && is_space(c);)
        bwp_take(from);
}

/* Whether a character is a digit to this base, and which. */
static int is_digit_of(int base, int c, int *digit)
{
    *digit = c - '0';
    if (base <= 10 || is_digit(c))
        return (unsigned)*digit < (unsigned)base;
    *digit = (c | 32) - 'a' + 10;
    return *digit >= 10 && *digit < base;
}

/* An integer as strtoll or strtoull reads it: one too large is the greatest. 0 if there is none. */
static int read_integer(int base, int is_signed, size_t most, long long *value)
{
    unsigned long long sum = 0;
    int negative = 0, digits = 0, over = 0, c = peek();
    if (most > 0 && (c == '-' || c == '+')) {
        negative = c == '-';
        bwp_take(from);
        most--;
        c = peek();
    }
    if (most > 0 && c == '0' && (base == 0 || base == 16)) {
        bwp_take(from);
        most--;
        digits = 1;
        c = peek();
        if (most > 0 && (c == 'x' || c == 'X')) {
            bwp_take(from);
            most--;
            base = 16;
            c = peek();
        } else if (base == 0)
            base = 8;
    }
    base = base ? base : 10;
    for (int digit; most > 0 && is_digit_of(base, c, &digit); most--, c = peek()) {
        unsigned __int128 next = (unsigned __int128)sum * base + digit;
        over |= next > ULLONG_MAX;
        sum = next;
        digits++;
        bwp_take(from);
    }
    unsigned long long greatest = !is_signed ? ULLONG_MAX : negative ? 1ull << 63 : LLONG_MAX;
    if (over || sum > greatest) {
        sum = greatest;
        negative &= is_signed;
        errno = ERANGE;
    }
    *value = negative ? -sum : sum;
    return digits > 0;
}

/* The letters of a number on their way to strtod. */
static struct {
    char text[MOST_OF_A_NUMBER + 1];
    size_t length, most;
} collected;

/* The next character, of those that belong to the number. */
static int look(void) { return collected.length < collected.most ? peek() : EOF; }

/* Takes the next character if it is wanted. */
static int collect(int is_wanted)
{
    if (!is_wanted)
        return 0;
    collected.text[collected.length++] = bwp_take(from);
    return 1;
}

static int collect_word(const char *word)
{
    for (; *word; word++)
        if (!collect((look() | 32) == *word))
            return 0;
    return 1;
}

/* Whether anything follows a prefix. */
static int collect_digits(void)
{
    int is_hexadecimal = 0, has_digit = 0, has_point = 0, has_exponent = 0;
    if (collect(look() == '0')) {
        is_hexadecimal = collect((look() | 32) == 'x');
        has_digit = !is_hexadecimal;
    }
    size_t before = collected.length;
    for (int digit, mark = is_hexadecimal ? 'p' : 'e';;) {
        int c = look();
        if (collect(is_digit_of(is_hexadecimal && !has_exponent ? 16 : 10, c, &digit)))
            has_digit = 1;
        else if (collect(c == '.' && !has_point))
            has_point = 1;
        else if (collect(has_digit && !has_exponent && (c | 32) == mark)) {
            has_exponent = has_point = 1;
            c = look();
            collect(c == '-' || c == '+');
        } else
            return !is_hexadecimal || collected.length > before;
    }
}

static int read_float(size_t most, double *value)
{
    collected.length = 0;
    collected.most = most < MOST_OF_A_NUMBER ? most : MOST_OF_A_NUMBER;
    int c = look();
    if (collect(c == '-' || c == '+'))
        c = look();
    int is_whole = 1;
    if ((c | 32) == 'n')
        is_whole = collect_word("nan");
    else if ((c | 32) == 'i')
        is_whole = collect_word("inf") && ((look() | 32) != 'i' || collect_word("inity"));
    else
        is_whole = collect_digits();
    char *end;
    collected.text[collected.length] = 0;
    *value = strtod(collected.text, &end);
    if (!is_whole || *end)
        bwp_give_up();
    return is_whole && end != collected.text;
}

static void store_integer(void *to, int length, long long value)
{
    switch (length) {
    case -2: *(char *)to = value; break;
    case -1: *(short *)to = value; break;
    case 0: *(int *)to = value; break;
    default: *(long long *)to = value; break;
    }
}

/* Reads the set of %[; returns the character behind it. */
static const char *read_set(const char *format, unsigned char wanted[256])
{
    int inverted = *format == '^';
    if (inverted)
        format++;
    memset(wanted, inverted, 256);
    const char *start = format;
    for (; *format && (*format != ']' || format == start); format++) {
        if (format[1] == '-' && format[2] && format[2] != ']') {
            for (int c = (unsigned char)format[0]; c <= (unsigned char)format[2]; c++)
                wanted[c] = !inverted;
            format += 2;
        } else
            wanted[(unsigned char)*format] = !inverted;
    }
    return *format ? format + 1 : format;
}

static int scan(const char *format, va_list rest)
{
    int done = 0, saw_input = 0;
    size_t before = bwp_position(from);
    for (; *format; format++) {
        if (is_space((unsigned char)*format)) {
            skip_space();
            continue;
        }
        if (*format != '%' || format[1] == '%') {
            format += *format == '%';
            if (*format == '%')
                skip_space();
            int c = peek();
            if (c != (unsigned char)*format)
                return c == EOF && done == 0 && !saw_input ? EOF : done;
            bwp_take(from);
            saw_input = 1;
            continue;
        }
        format++;
        int silent = *format == '*', length = 0;
        format += silent;
        size_t most = 0;
        for (; *format >= '0' && *format <= '9'; format++)
            most = most * 10 + (*format - '0');
        size_t bound = most ? most : (size_t)-1;
        for (;; format++) {
            if (*format == 'h')
                length--;
            else if (*format == 'l' || *format == 'L' || *format == 'q')
                length++;
            else if (*format == 'j' || *format == 'z' || *format == 't')
                length = 2;
            else
                break;
        }
        if (!strchr("c[n", *format))
            skip_space();
        if (*format == 'n') {
            store_integer(va_arg(rest, void *), length, bwp_position(from) - before);
            continue;
        }
        if (peek() == EOF)
            return done == 0 ? EOF : done;
        saw_input = 1;
        void *to = silent ? NULL : va_arg(rest, void *);
        switch (*format) {
        case 'd': case 'u': case 'i': case 'x': case 'X': case 'o': case 'p': {
            long long value;
            int base = *format == 'i' ? 0 : *format == 'o' ? 8 : strchr("xXp", *format) ? 16 : 10;
            if (!read_integer(base, *format == 'd' || *format == 'i', bound, &value))
                return done;
            if (to)
                store_integer(to, *format == 'p' ? 2 : length, value);
            break;
        }
        case 'f': case 'F': case 'e': case 'E': case 'g': case 'G': case 'a': case 'A': {
            double value;
            if (!read_float(bound, &value))
                return done;
            if (to && length == 0)
                *(float *)to = value;
            else if (to)
                *(double *)to = value;
            break;
        }
        case 'c': {
            char *text = to;
            for (size_t i = 0; i < (most ? most : 1); i++) {
                int c = bwp_take(from);
                if (c == EOF)
                    break;
                if (text)
                    text[i] = c;
            }
            break;
        }
        case 's': case '[': {
            unsigned char wanted[256];
            char *text = to;
            size_t n = 0;
            int is_set = *format == '[';
            if (is_set)
                format = read_set(format + 1, wanted) - 1;
            for (int c; n < bound && (c = peek()) != EOF && (is_set ? wanted[c] : !is_space(c)); n++) {
                if (text)
                    text[n] = c;
                bwp_take(from);
            }
            if (n == 0)
                return done;
            if (text)
                text[n] = 0;
            break;
        }
        default:
            bwp_give_up();
            return done;
        }
        done += !silent;
    }
    return done;
}

int bw_vfscanf(FILE *stream, const char *format, va_list rest)
{
    from = bwp_source_of_stream(stream);
    if (from && !bwp_can_read(from)) {
        errno = EBADF;
        return EOF;
    }
    return from ? scan(format, rest) : bwp_is_silent(stream) ? EOF : vfscanf(stream, format, rest);
}

int bw_fscanf(FILE *stream, const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    int done = bw_vfscanf(stream, format, rest);
    va_end(rest);
    return done;
}

int bw___isoc99_vfscanf(FILE *stream, const char *format, va_list rest) { return bw_vfscanf(stream, format, rest); }

int bw___isoc99_fscanf(FILE *stream, const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    int done = bw_vfscanf(stream, format, rest);
    va_end(rest);
    return done;
}

#ifndef BW_UNIT
int bw_scanf(const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    int done = bw_vfscanf(stdin, format, rest);
    va_end(rest);
    return done;
}

int bw_vscanf(const char *format, va_list rest) { return bw_vfscanf(stdin, format, rest); }
int bw___isoc99_vscanf(const char *format, va_list rest) { return bw_vfscanf(stdin, format, rest); }

int bw___isoc99_scanf(const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    int done = bw_vfscanf(stdin, format, rest);
    va_end(rest);
    return done;
}
#endif
