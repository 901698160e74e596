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
#include <stddef.h>
#include <stdint.h>

extern size_t bw_room(const void *address);
extern void *malloc(size_t);

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

static unsigned long long number(const char *s, char **end, int base, int *negative, int *overflow)
{
    const char *at = s;
    while (isspace((byte)*at))
        at++;
    *negative = *at == '-';
    if (*at == '-' || *at == '+')
        at++;
    if ((base == 0 || base == 16) && at[0] == '0' && (at[1] | 32) == 'x' && digit((byte)at[2]) < 16) {
        at += 2;
        base = 16;
    } else if (base == 0) {
        base = *at == '0' ? 8 : 10;
    }
    unsigned long long value = 0;
    const char *first = at;
    int over = 0;
    for (;; at++) {
        unsigned d = digit((byte)*at);
        if (d >= (unsigned)base)
            break;
        unsigned __int128 next = (unsigned __int128)value * (unsigned)base + d;
        over |= next > ULLONG_MAX;
        value = (unsigned long long)next;
    }
    *overflow = over;
    if (end)
        *end = (char *)(at == first ? s : at);
    return value;
}

static long long signed_number(const char *s, char **end, int base)
{
    int negative, overflow;
    unsigned long long value = number(s, end, base, &negative, &overflow);
    unsigned long long most = negative ? 1ull << 63 : LLONG_MAX;
    if (overflow || value > most) {
        errno = ERANGE;
        return negative ? LLONG_MIN : LLONG_MAX;
    }
    return negative ? (long long)-value : (long long)value;
}

static unsigned long long unsigned_number(const char *s, char **end, int base)
{
    int negative, overflow;
    unsigned long long value = number(s, end, base, &negative, &overflow);
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
