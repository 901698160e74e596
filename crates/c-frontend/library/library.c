/*
 * Functions of the C library, written so that their twins leave terms with the meaning of the whole call.
 *
 * strcmp(a, "key") == 0 is one equation over the bytes of a, not one decision a byte: as far as an object reaches
 * (bw_room) loops run on and results are chosen without jumps, also behind the present end of a string. Where an object
 * ends or is not known, whether the string has ended is an ordinary decision.
 *
 * Compiled with optimisation, so that ?: becomes a choice inside the term. Only twins are ever made of it.
 */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

extern size_t bw_room(const void *address);
extern void *malloc(size_t);
/* In earnest, without terms. */
extern void *__rawmemchr(const void *from, int byte);
extern double __strtod_internal(const char *s, char **end, int group);
extern float __strtof_internal(const char *s, char **end, int group);
extern int vsnprintf(char *to, size_t size, const char *format, va_list arguments);
extern int vsscanf(const char *text, const char *format, va_list arguments);
extern int __isoc99_vsscanf(const char *text, const char *format, va_list arguments);
/* Only younger libraries have it. */
extern int __isoc23_vsscanf(const char *text, const char *format, va_list arguments) __attribute__((weak));

typedef unsigned char byte;

static inline int lower(int c) { return (unsigned)c - 'A' < 26 ? c + 32 : c; }
static inline int upper(int c) { return (unsigned)c - 'a' < 26 ? c - 32 : c; }

/* glibc's tables behind the macros of <ctype.h>, in the "C" locale. */
#define BIT(number) (1 << (number < 8 ? number + 8 : number - 8))
#define IN(c, low, high) ((c) >= (low) && (c) <= (high))
#define CLASS(c)                                                                                                       \
    ((IN(c, 'A', 'Z') ? BIT(0) : 0) | (IN(c, 'a', 'z') ? BIT(1) : 0) |                                                 \
     (IN(c, 'A', 'Z') || IN(c, 'a', 'z') ? BIT(2) | BIT(11) : 0) | (IN(c, '0', '9') ? BIT(3) | BIT(11) : 0) |          \
     (IN(c, '0', '9') || IN(c, 'A', 'F') || IN(c, 'a', 'f') ? BIT(4) : 0) |                                            \
     ((c) == ' ' || IN(c, '\t', '\r') ? BIT(5) : 0) | (IN(c, ' ', '~') ? BIT(6) : 0) | (IN(c, '!', '~') ? BIT(7) : 0) | \
     ((c) == ' ' || (c) == '\t' ? BIT(8) : 0) | (IN(c, 0, 31) || (c) == 127 ? BIT(9) : 0) |                            \
     (IN(c, '!', '/') || IN(c, ':', '@') || IN(c, '[', '`') || IN(c, '{', '~') ? BIT(10) : 0))
#define LOWER(c) (IN(c, 'A', 'Z') ? (c) + 32 : (c))
#define UPPER(c) (IN(c, 'a', 'z') ? (c) - 32 : (c))
#define FOUR(of, c) of(c), of(c + 1), of(c + 2), of(c + 3)
#define SIXTEEN(of, c) FOUR(of, c), FOUR(of, c + 4), FOUR(of, c + 8), FOUR(of, c + 12)
#define HALF(of, c)                                                                                                    \
    SIXTEEN(of, c), SIXTEEN(of, c + 16), SIXTEEN(of, c + 32), SIXTEEN(of, c + 48), SIXTEEN(of, c + 64),                \
        SIXTEEN(of, c + 80), SIXTEEN(of, c + 96), SIXTEEN(of, c + 112)
#define WHOLE(of) HALF(of, -128), HALF(of, 0), HALF(of, 128)

const unsigned short bw_classes[384] = {WHOLE(CLASS)};
const int bw_lower[384] = {WHOLE(LOWER)}, bw_upper[384] = {WHOLE(UPPER)};

const unsigned short **__ctype_b_loc(void)
{
    static const unsigned short *table = bw_classes + 128;
    return &table;
}

const int **__ctype_tolower_loc(void)
{
    static const int *table = bw_lower + 128;
    return &table;
}

const int **__ctype_toupper_loc(void)
{
    static const int *table = bw_upper + 128;
    return &table;
}

int tolower(int c) { return lower(c); }
int toupper(int c) { return upper(c); }
int isdigit(int c) { return (unsigned)c - '0' < 10; }
int isupper(int c) { return (unsigned)c - 'A' < 26; }
int islower(int c) { return (unsigned)c - 'a' < 26; }
int isalpha(int c) { return ((unsigned)c | 32) - 'a' < 26; }
int isalnum(int c) { return (((unsigned)c | 32) - 'a' < 26) | ((unsigned)c - '0' < 10); }
int isxdigit(int c) { return (((unsigned)c | 32) - 'a' < 6) | ((unsigned)c - '0' < 10); }
int isblank(int c) { return (c == ' ') | (c == '\t'); }
int isspace(int c) { return (c == ' ') | ((unsigned)c - '\t' < 5); }
int iscntrl(int c) { return ((unsigned)c < 32) | (c == 127); }
int isprint(int c) { return (unsigned)c - ' ' < 95; }
int isgraph(int c) { return (unsigned)c - '!' < 94; }
int ispunct(int c) { return ((unsigned)c - '!' < 94) & !((((unsigned)c | 32) - 'a' < 26) | ((unsigned)c - '0' < 10)); }

int abs(int n) { return n < 0 ? -n : n; }
long labs(long n) { return n < 0 ? -n : n; }
long long llabs(long long n) { return n < 0 ? -n : n; }

size_t strlen(const char *s)
{
    size_t length = 0, room = bw_room(s);
    int open = 1;
    for (size_t i = 0;; i++) {
        int x = (byte)s[i];
        length = open & (x == 0) ? i : length;
        open &= x != 0;
        if (i + 1 >= room && !open)
            break;
    }
    return length;
}

size_t strnlen(const char *s, size_t most)
{
    size_t length = most, room = bw_room(s);
    int open = 1;
    for (size_t i = 0; i < most; i++) {
        int x = (byte)s[i];
        length = open & (x == 0) ? i : length;
        open &= x != 0;
        if (i + 1 >= room && !open)
            break;
    }
    return length;
}

/* The first difference of two strings; `fold` ignores the case of letters. */
static inline int compare(const char *a, const char *b, size_t most, int fold, int stop_at_end)
{
    int result = 0, open = 1;
    size_t room_a = stop_at_end ? bw_room(a) : 0, room_b = stop_at_end ? bw_room(b) : 0;
    for (size_t i = 0; i < most; i++) {
        int x = (byte)a[i], y = (byte)b[i];
        if (fold) {
            x = lower(x);
            y = lower(y);
        }
        int difference = x - y;
        result = open ? difference : result;
        open &= difference == 0;
        if (stop_at_end) {
            open &= x != 0;
            if ((i + 1 >= room_a || i + 1 >= room_b) && !open)
                break;
        }
    }
    return result;
}

int strcmp(const char *a, const char *b) { return compare(a, b, SIZE_MAX, 0, 1); }
int strncmp(const char *a, const char *b, size_t n) { return compare(a, b, n, 0, 1); }
int strcasecmp(const char *a, const char *b) { return compare(a, b, SIZE_MAX, 1, 1); }
int strncasecmp(const char *a, const char *b, size_t n) { return compare(a, b, n, 1, 1); }
int strcoll(const char *a, const char *b) { return compare(a, b, SIZE_MAX, 0, 1); }
int memcmp(const void *a, const void *b, size_t n) { return compare(a, b, n, 0, 0); }
int bcmp(const void *a, const void *b, size_t n) { return compare(a, b, n, 0, 0); }

/* The first (or last) occurrence of a byte before the end. */
static inline char *find(const char *s, int wanted, size_t most, int at_end, int last, int otherwise_end)
{
    uintptr_t found = 0;
    int open = 1, ended = 0;
    size_t room = at_end ? bw_room(s) : 0;
    wanted = (byte)wanted;
    for (size_t i = 0; i < most; i++) {
        int x = (byte)s[i];
        int here = open & (x == wanted);
        if (otherwise_end)
            here |= open & (x == 0);
        found = here ? (uintptr_t)(s + i) : found;
        if (!last)
            open &= !here;
        if (at_end) {
            open &= x != 0;
            ended |= x == 0;
            if (i + 1 >= room && ended)
                break;
        }
    }
    return (char *)found;
}

char *strchr(const char *s, int c) { return find(s, c, SIZE_MAX, 1, 0, 0); }
char *index(const char *s, int c) { return find(s, c, SIZE_MAX, 1, 0, 0); }
char *strrchr(const char *s, int c) { return find(s, c, SIZE_MAX, 1, 1, 0); }
char *rindex(const char *s, int c) { return find(s, c, SIZE_MAX, 1, 1, 0); }
char *strchrnul(const char *s, int c) { return find(s, c, SIZE_MAX, 1, 0, 1); }
void *memchr(const void *s, int c, size_t n) { return find(s, c, n, 0, 0, 0); }

static inline int is_in(int x, const char *set)
{
    int found = 0;
    for (size_t i = 0; set[i] != 0; i++)
        found |= x == (byte)set[i];
    return found & (x != 0);
}

static inline size_t span(const char *s, const char *set, int wanted)
{
    size_t length = 0, room = bw_room(s);
    int open = 1;
    for (size_t i = 0;; i++) {
        int x = (byte)s[i];
        int stays = (is_in(x, set) == wanted) & (x != 0);
        length = open & !stays ? i : length;
        open &= stays;
        if (i + 1 >= room && !open)
            break;
    }
    return length;
}

size_t strspn(const char *s, const char *set) { return span(s, set, 1); }
size_t strcspn(const char *s, const char *set) { return span(s, set, 0); }

char *strpbrk(const char *s, const char *set)
{
    const char *end = s + span(s, set, 0);
    return *end != 0 ? (char *)end : 0;
}

char *strstr(const char *s, const char *part)
{
    for (size_t i = 0;; i++) {
        size_t j = 0;
        while (part[j] != 0 && s[i + j] == part[j])
            j++;
        if (part[j] == 0)
            return (char *)s + i;
        if (s[i] == 0)
            return 0;
    }
}

char *strcasestr(const char *s, const char *part)
{
    for (size_t i = 0;; i++) {
        size_t j = 0;
        while (part[j] != 0 && lower((byte)s[i + j]) == lower((byte)part[j]))
            j++;
        if (part[j] == 0)
            return (char *)s + i;
        if (s[i] == 0)
            return 0;
    }
}

/*
 * Cutting a text into words makes a decision for every character: each word is a string of its own from then on, at
 * a place that is a number and no term.
 */
char *strsep(char **restrict text, const char *restrict set)
{
    char *word = *text;
    if (!word)
        return 0;
    char *end = word;
    while (*end != 0 && !is_in((byte)*end, set))
        end++;
    *text = *end != 0 ? end + 1 : 0;
    *end = 0;
    return word;
}

char *strtok_r(char *restrict s, const char *restrict set, char **restrict rest)
{
    char *word = s ? s : *rest;
    while (is_in((byte)*word, set))
        word++;
    if (*word == 0) {
        *rest = word;
        return 0;
    }
    char *end = word;
    while (*end != 0 && !is_in((byte)*end, set))
        end++;
    *rest = *end != 0 ? end + 1 : end;
    *end = 0;
    return word;
}

char *strtok(char *restrict s, const char *restrict set)
{
    static char *rest;
    return strtok_r(s, set, &rest);
}

void *memcpy(void *restrict to, const void *restrict from, size_t n) { return __builtin_memcpy(to, from, n); }
void *memmove(void *to, const void *from, size_t n) { return __builtin_memmove(to, from, n); }
void *mempcpy(void *restrict to, const void *restrict from, size_t n)
{
    return (char *)__builtin_memcpy(to, from, n) + n;
}
void *memset(void *to, int value, size_t n) { return __builtin_memset(to, value, n); }
void bcopy(const void *from, void *to, size_t n) { __builtin_memmove(to, from, n); }
void bzero(void *to, size_t n) { __builtin_memset(to, 0, n); }

char *stpcpy(char *restrict to, const char *restrict from)
{
    while ((*to = *from) != 0) {
        to++;
        from++;
    }
    return to;
}

char *strcpy(char *restrict to, const char *restrict from)
{
    stpcpy(to, from);
    return to;
}

char *strcat(char *restrict to, const char *restrict from)
{
    char *end = to;
    while (*end != 0)
        end++;
    stpcpy(end, from);
    return to;
}

char *strncpy(char *restrict to, const char *restrict from, size_t n)
{
    size_t i = 0;
    for (; i < n && from[i] != 0; i++)
        to[i] = from[i];
    for (; i < n; i++)
        to[i] = 0;
    return to;
}

char *strncat(char *restrict to, const char *restrict from, size_t n)
{
    char *end = to;
    while (*end != 0)
        end++;
    size_t i = 0;
    for (; i < n && from[i] != 0; i++)
        end[i] = from[i];
    end[i] = 0;
    return to;
}

char *strdup(const char *s)
{
    size_t length = 0;
    while (s[length] != 0)
        length++;
    char *copy = malloc(length + 1);
    return copy ? __builtin_memcpy(copy, s, length + 1) : 0;
}

char *strndup(const char *s, size_t most)
{
    size_t length = 0;
    while (length < most && s[length] != 0)
        length++;
    char *copy = malloc(length + 1);
    if (!copy)
        return 0;
    __builtin_memcpy(copy, s, length);
    copy[length] = 0;
    return copy;
}

/* The value of a digit, 99 if it is none: a choice, not a decision for every class of characters. */
static inline unsigned digit(int c)
{
    unsigned decimal = (unsigned)c - '0', letter = ((unsigned)c | 32) - 'a';
    return decimal < 10 ? decimal : letter < 26 ? letter + 10 : 99;
}

/* The same if it is one in this base. In most there are no letters, and nothing to ask about them. */
static inline unsigned digit_of(int c, unsigned base) { return base <= 10 ? (unsigned)c - '0' : digit(c); }

/*
 * So many digits are less than 2^63: whether they overflow is no question that anybody should have to answer, and 64 bits
 * are enough for their product.
 */
static inline size_t fitting_digits(unsigned base) { return base <= 10 ? 18 : base <= 16 ? 15 : 12; }

/* The number with one more digit, of which there are `count` already. */
static inline unsigned long long with_digit(unsigned long long value, unsigned base, unsigned d, size_t count, int *over)
{
    if (count < fitting_digits(base))
        return value * base + d;
    unsigned __int128 next = (unsigned __int128)value * base + d;
    *over |= next > ULLONG_MAX;
    return (unsigned long long)next;
}

/* + or -: one question, of which the compiler makes no switch. */
static inline int is_sign(int c) { return (((unsigned)c - '+') & ~2u) == 0; }

/* The digits of a number, in 64 bits; `overflow` says whether there are more than its type holds. */
static unsigned long long number(const char *s, char **end, int base, int is_signed, int *negative, int *overflow)
{
    const char *at = s;
    while (isspace((byte)*at))
        at++;
    *negative = *at == '-';
    if (is_sign((byte)*at))
        at++;
    if ((base == 0 || base == 16) && at[0] == '0' && (at[1] | 32) == 'x' && digit((byte)at[2]) < 16) {
        at += 2;
        base = 16;
    } else if (base == 0) {
        base = *at == '0' ? 8 : 10;
    }
    unsigned long long value = 0;
    size_t count = 0;
    int over = 0;
    for (;; at++, count++) {
        unsigned d = digit_of((byte)*at, (unsigned)base);
        if (d >= (unsigned)base)
            break;
        value = with_digit(value, (unsigned)base, d, count, &over);
    }
    if (end)
        *end = (char *)(count == 0 ? s : at);
    unsigned long long most = !is_signed ? ULLONG_MAX : *negative ? 1ull << 63 : LLONG_MAX;
    *overflow = count > fitting_digits((unsigned)base) && (over || value > most);
    return value;
}

static long long signed_number(const char *s, char **end, int base)
{
    int negative, overflow;
    unsigned long long value = number(s, end, base, 1, &negative, &overflow);
    if (overflow) {
        errno = ERANGE;
        return negative ? LLONG_MIN : LLONG_MAX;
    }
    return negative ? (long long)-value : (long long)value;
}

static unsigned long long unsigned_number(const char *s, char **end, int base)
{
    int negative, overflow;
    unsigned long long value = number(s, end, base, 0, &negative, &overflow);
    if (overflow) {
        errno = ERANGE;
        return ULLONG_MAX;
    }
    return negative ? -value : value;
}

long strtol(const char *restrict s, char **restrict end, int base) { return signed_number(s, end, base); }
long long strtoll(const char *restrict s, char **restrict end, int base) { return signed_number(s, end, base); }
unsigned long strtoul(const char *restrict s, char **restrict end, int base) { return unsigned_number(s, end, base); }
unsigned long long strtoull(const char *restrict s, char **restrict end, int base)
{
    return unsigned_number(s, end, base);
}
long __isoc23_strtol(const char *restrict s, char **restrict end, int base) { return signed_number(s, end, base); }
int atoi(const char *s) { return (int)signed_number(s, 0, 10); }
long atol(const char *s) { return signed_number(s, 0, 10); }
long long atoll(const char *s) { return signed_number(s, 0, 10); }

/* Powers of ten that a double, and a float, holds exactly. */
static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* Digits that fit into 64 bits, whatever they are. */
#define MOST_DIGITS 18

struct decimal {
    unsigned long long digits;
    int exponent, negative;
    const char *end;
};

/* Digits of a number in decimal notation, and where it ends; how many there were. */
static inline int digits_of(struct decimal *number, const char **at, int step)
{
    int count = 0;
    for (; isdigit((byte)**at); (*at)++, count++) {
        number->digits = number->digits * 10 + ((byte)**at - '0');
        number->exponent += step;
    }
    return count;
}

/* Reads the exponent behind a number, if one is there. */
static inline void exponent_of(struct decimal *number)
{
    const char *at = number->end;
    if ((*at | 32) != 'e')
        return;
    at++;
    int negative = *at == '-', value = 0;
    if (is_sign((byte)*at))
        at++;
    if (!isdigit((byte)*at))
        return;
    for (; isdigit((byte)*at); at++)
        value = value > 999 ? value : value * 10 + ((byte)*at - '0');
    number->exponent += negative ? -value : value;
    number->end = at;
}

/* What inf and nan begin with, likewise. */
static inline int is_i_or_n(int c)
{
    unsigned place = ((unsigned)c | 32) - 'i';
    return (place < 6) & (0x21u >> (place & 7));
}

/*
 * A number in decimal notation: digits * 10^exponent. 0 if it is written in another way, or with too many digits. Without
 * a number the end is the beginning.
 */
static int read_decimal(const char *s, struct decimal *number)
{
    const char *at = s;
    *number = (struct decimal){0, 0, 0, s};
    while (isspace((byte)*at))
        at++;
    number->negative = *at == '-';
    if (is_sign((byte)*at))
        at++;
    if ((at[0] == '0' && (at[1] | 32) == 'x') || is_i_or_n((byte)at[0]))
        return 0;
    int count = digits_of(number, &at, 0);
    if (*at == '.' && (count > 0 || isdigit((byte)at[1]))) {
        at++;
        count += digits_of(number, &at, -1);
    }
    if (count == 0) {
        number->negative = 0;
        return 1;
    }
    number->end = at;
    exponent_of(number);
    return count <= MOST_DIGITS;
}

/*
 * Where digits and power are exact, one multiplication or division rounds as the library does (Clinger 1990): the result
 * is a term with the very same value. All other numbers the library reads, and its answer is a number without a term.
 */
double strtod(const char *restrict s, char **restrict end)
{
    struct decimal number;
    if (!read_decimal(s, &number) || number.digits > 1ull << 53 || number.exponent > 22 || number.exponent < -22)
        return __strtod_internal(s, end, 0);
    if (end)
        *end = (char *)number.end;
    double value = (double)number.digits;
    if (number.exponent > 0)
        value *= powers[number.exponent];
    else if (number.exponent < 0)
        value /= powers[-number.exponent];
    return number.negative ? -value : value;
}

float strtof(const char *restrict s, char **restrict end)
{
    struct decimal number;
    if (!read_decimal(s, &number) || number.digits > 1ull << 24 || number.exponent > 10 || number.exponent < -10)
        return __strtof_internal(s, end, 0);
    if (end)
        *end = (char *)number.end;
    float value = (float)number.digits;
    if (number.exponent > 0)
        value *= (float)powers[number.exponent];
    else if (number.exponent < 0)
        value /= (float)powers[-number.exponent];
    return number.negative ? -value : value;
}

double atof(const char *s) { return strtod(s, 0); }

/* One directive of a format of scanf. */
struct directive {
    int suppressed;
    /* 0 if none is given. */
    size_t width;
    /* Bytes of an integer. */
    size_t size;
    char conversion;
    /* Of %[ the characters behind ^ up to the closing bracket. */
    const char *set, *set_end;
    int is_complement;
};

/* Reads what follows a percent sign; 0 for what only the library knows. */
static const char *read_directive(const char *format, struct directive *directive)
{
    *directive = (struct directive){.size = sizeof(int)};
    if (*format == '*') {
        directive->suppressed = 1;
        format++;
    }
    for (; isdigit((byte)*format); format++)
        directive->width = directive->width * 10 + (*format - '0');
    int is_long = 0;
    switch (*format) {
    case 'h':
        directive->size = format[1] == 'h' ? sizeof(char) : sizeof(short);
        format += format[1] == 'h' ? 2 : 1;
        break;
    case 'l':
        is_long = 1;
        directive->size = sizeof(long);
        format += format[1] == 'l' ? 2 : 1;
        break;
    case 'j':
    case 'z':
    case 't':
        is_long = 1;
        directive->size = sizeof(long);
        format++;
        break;
    }
    directive->conversion = *format++;
    switch (directive->conversion) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
    case 'n':
    case '%':
        return format;
    case 'c':
    case 's':
        return is_long ? 0 : format;
    case '[':
        directive->is_complement = *format == '^';
        format += *format == '^';
        directive->set = format;
        format += *format == ']';
        while (*format != 0 && *format != ']')
            format++;
        directive->set_end = format;
        return is_long || *format == 0 ? 0 : format + 1;
    default:
        return 0;
    }
}

static int is_simple(const char *format, int has_binary)
{
    struct directive directive;
    while (*format != 0) {
        if (*format++ == '%') {
            format = read_directive(format, &directive);
            if (!format || (has_binary && directive.conversion == 'i'))
                return 0;
        }
    }
    return 1;
}

/* Whether %[ takes a character: a choice, so that only its answer is a decision. */
static inline int is_taken(const struct directive *directive, int c)
{
    int found = 0;
    for (const char *at = directive->set; at < directive->set_end; at++) {
        if (at[0] == '-' && at > directive->set && at + 1 < directive->set_end && (byte)at[-1] <= (byte)at[1])
            found |= (c >= (byte)at[-1]) & (c <= (byte)at[1]);
        else
            found |= c == (byte)at[0];
    }
    return found ^ directive->is_complement;
}

static void store(void *to, size_t size, unsigned long long value)
{
    switch (size) {
    case 1:
        *(unsigned char *)to = (unsigned char)value;
        break;
    case 2:
        *(unsigned short *)to = (unsigned short)value;
        break;
    case 4:
        *(unsigned *)to = (unsigned)value;
        break;
    default:
        *(unsigned long long *)to = value;
    }
}

/* Reads digits in their base; like the library a number too large becomes the greatest, and then is cut to its size. */
static const char *scan_integer(const char *at, const struct directive *directive, void *to)
{
    size_t left = directive->width ? directive->width : SIZE_MAX;
    char conversion = directive->conversion;
    unsigned base = conversion == 'i' ? 0 : conversion == 'o' ? 8 : (conversion | 32) == 'x' ? 16 : 10;
    int negative = *at == '-', count = 0, over = 0;
    unsigned long long value = 0;
    if (is_sign((byte)*at)) {
        at++;
        left--;
    }
    if (left > 0 && *at == '0') {
        at++;
        left--;
        count++;
        if (left > 0 && (base == 0 || base == 16) && (*at | 32) == 'x') {
            at++;
            left--;
            base = 16;
        } else if (base == 0) {
            base = 8;
        }
    }
    base = base ? base : 10;
    for (; left > 0; at++, left--, count++) {
        unsigned d = digit_of((byte)*at, base);
        if (d >= base)
            break;
        value = with_digit(value, base, d, (size_t)count, &over);
    }
    if (count == 0)
        return 0;
    int is_signed = conversion == 'd' || conversion == 'i';
    unsigned long long most = !is_signed ? ULLONG_MAX : negative ? 1ull << 63 : LLONG_MAX;
    if ((size_t)count > fitting_digits(base) && (over || value > most)) {
        errno = ERANGE;
        value = most;
        negative &= is_signed;
    }
    if (to)
        store(to, directive->size, negative ? -value : value);
    return at;
}

/* Copies characters while they belong to the directive; 0 if none did. */
static const char *scan_characters(const char *at, const struct directive *directive, char *to)
{
    char conversion = directive->conversion;
    size_t left = directive->width ? directive->width : conversion == 'c' ? 1 : SIZE_MAX;
    const char *first = at;
    for (; left > 0 && *at != 0; at++, left--) {
        int c = (byte)*at;
        if (conversion == 's' && isspace(c))
            break;
        if (conversion == '[' && !is_taken(directive, c))
            break;
        if (to)
            *to++ = (char)c;
    }
    if (at == first)
        return 0;
    if (to && conversion != 'c')
        *to = 0;
    return at;
}

static inline const char *skip_space(const char *at)
{
    while (isspace((byte)*at))
        at++;
    return at;
}

static int scan(const char *text, const char *format, va_list arguments)
{
    /* The library looks for the end before anything else. Where that is decides nothing but whether there is one. */
    __rawmemchr(text, 0);
    const char *at = text;
    int done = 0;
    while (*format != 0) {
        struct directive directive;
        char wanted = *format++;
        if (isspace((byte)wanted)) {
            at = skip_space(at);
            continue;
        }
        if (wanted == '%') {
            format = read_directive(format, &directive);
            char conversion = directive.conversion;
            if (conversion != 'c' && conversion != '[' && conversion != 'n')
                at = skip_space(at);
            if (conversion == 'n') {
                if (!directive.suppressed)
                    store(va_arg(arguments, void *), directive.size, (unsigned long long)(at - text));
                continue;
            }
            if (conversion != '%') {
                if (*at == 0)
                    return done > 0 ? done : -1;
                void *to = directive.suppressed ? 0 : va_arg(arguments, void *);
                int is_text = conversion == 'c' || conversion == 's' || conversion == '[';
                at = is_text ? scan_characters(at, &directive, to) : scan_integer(at, &directive, to);
                if (!at)
                    return done;
                done += !directive.suppressed;
                continue;
            }
        }
        if (*at == 0)
            return done > 0 ? done : -1;
        if (*at != wanted)
            return done;
        at++;
    }
    return done;
}

int sscanf(const char *restrict text, const char *restrict format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int done = is_simple(format, 0) ? scan(text, format, arguments) : vsscanf(text, format, arguments);
    va_end(arguments);
    return done;
}

int __isoc99_sscanf(const char *restrict text, const char *restrict format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int done = is_simple(format, 0) ? scan(text, format, arguments) : __isoc99_vsscanf(text, format, arguments);
    va_end(arguments);
    return done;
}

/* Its %i knows binary numbers too; where they may occur the library reads them. */
int __isoc23_sscanf(const char *restrict text, const char *restrict format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int done = is_simple(format, 1) ? scan(text, format, arguments) : __isoc23_vsscanf(text, format, arguments);
    va_end(arguments);
    return done;
}

/* Whether a format asks for nothing but strings and characters. */
static int is_text(const char *format)
{
    for (; *format != 0; format++)
        if (*format == '%' && *++format != 's' && *format != 'c' && *format != '%')
            return 0;
    return 1;
}

/* How long the whole is, is a sum of lengths; how much of it was copied, a number. */
static int print(char *to, size_t size, const char *format, va_list arguments)
{
    size_t length = 0, at = 0;
    while (*format != 0) {
        char c = *format++, conversion = c == '%' ? *format++ : 0;
        const char *from = &c;
        size_t more = 1;
        if (conversion == 'c') {
            c = (char)va_arg(arguments, int);
        } else if (conversion == 's') {
            from = va_arg(arguments, const char *);
            if (from) {
                more = strlen(from);
            } else {
                from = "(null)";
                more = 6;
            }
        }
        size_t room = at + 1 < size ? size - 1 - at : 0;
        size_t copied = more < room ? more : room;
        __builtin_memcpy(to + at, from, copied);
        at += copied;
        length += more;
    }
    if (size > 0)
        to[at] = 0;
    return (int)length;
}

int snprintf(char *restrict to, size_t size, const char *restrict format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = is_text(format) ? print(to, size, format, arguments) : vsnprintf(to, size, format, arguments);
    va_end(arguments);
    return length;
}
