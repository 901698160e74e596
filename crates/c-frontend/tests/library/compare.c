/*
 * Calls functions of the C library and ours, called our_NAME, with the same random texts. Every difference is printed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *our_strtok(char *s, const char *set);
char *our_strtok_r(char *s, const char *set, char **rest);
char *our_strsep(char **text, const char *set);
char *our_strcasestr(const char *s, const char *part);
double our_strtod(const char *s, char **end);
float our_strtof(const char *s, char **end);
double our_atof(const char *s);
int our_sscanf(const char *text, const char *format, ...);
int our___isoc99_sscanf(const char *text, const char *format, ...);
extern int library_sscanf(const char *text, const char *format, ...) __asm__("sscanf");
extern int library_isoc99_sscanf(const char *text, const char *format, ...) __asm__("__isoc99_sscanf");

/* What the models ask the runtime for: here every object is a page of its own, or unknown. */
static char text[256];
size_t bw_room(const void *address)
{
    const char *at = address;
    return at >= text && at < text + sizeof text ? (size_t)(text + sizeof text - at) : 0;
}

static uint64_t state = 88172645463325252u;
static unsigned below(unsigned n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 33) % n;
}

static int differences;
#define DIFFERS(...) (differences++ < 20 ? printf(__VA_ARGS__) : 0)
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A random row of pieces, at most `most` of them. */
static void compose(char *to, const char *const *pieces, unsigned count, unsigned most)
{
    *to = 0;
    for (unsigned left = below(most + 1); left > 0; left--)
        strcat(to, pieces[below(count)]);
}

static const char *const LETTERS[] = {"a", "b", "A", "B", ",", ";", " "};
static const char *const SETS[] = {",", ", ;", "a", "", "ab"};

static void words(void)
{
    char ours[64] = "", theirs[64] = "";
    const char *set = SETS[below(COUNT(SETS))];
    compose(text, LETTERS, COUNT(LETTERS), 12);
    int kind = below(3);
    strcpy(ours, text);
    strcpy(theirs, text);
    char *rest_a = ours, *rest_b = theirs;
    for (int call = 0; call < 8; call++) {
        char *a, *b;
        if (kind == 0) {
            a = our_strtok(call ? NULL : ours, set);
            b = strtok(call ? NULL : theirs, set);
        } else if (kind == 1) {
            a = our_strtok_r(call ? NULL : ours, set, &rest_a);
            b = strtok_r(call ? NULL : theirs, set, &rest_b);
        } else {
            a = our_strsep(&rest_a, set);
            b = strsep(&rest_b, set);
        }
        int same = (a ? a - ours : -1) == (b ? b - theirs : -1) && memcmp(ours, theirs, sizeof ours) == 0;
        if (!same || (kind && (rest_a ? rest_a - ours : -1) != (rest_b ? rest_b - theirs : -1)))
            DIFFERS("words %d of \"%s\" at \"%s\", call %d\n", kind, text, set, call);
    }
}

static void needles(void)
{
    char part[8];
    compose(text, LETTERS, 4, 8);
    compose(part, LETTERS, 4, 3);
    if (our_strcasestr(text, part) != strcasestr(text, part))
        DIFFERS("strcasestr \"%s\" in \"%s\"\n", part, text);
}

static const char *const NUMERALS[] = {
    " ", "\t", "+", "-", "0", "1", "5", "9", "12", "1234567890", "9007199254740993", "00000000000000000000", ".", ".",
    "e", "E", "e+", "e-", "22", "23", "-22", "308", "400", "x", "0x", "p", "inf", "nan", "i", "n", "z", "16777217"};

static void numbers(void)
{
    char *end_a = NULL, *end_b = NULL;
    compose(text, NUMERALS, COUNT(NUMERALS), 6);
    errno = 0;
    double a = our_strtod(text, &end_a);
    int errno_a = errno;
    errno = 0;
    double b = strtod(text, &end_b);
    if (memcmp(&a, &b, sizeof a) != 0 || end_a != end_b || errno_a != errno)
        DIFFERS("strtod \"%s\": %.20g %.20g, %d %d\n", text, a, b, (int)(end_a - text), (int)(end_b - text));
    float c = our_strtof(text, &end_a), d = strtof(text, &end_b);
    if (memcmp(&c, &d, sizeof c) != 0 || end_a != end_b)
        DIFFERS("strtof \"%s\": %.12g %.12g\n", text, c, d);
    a = our_atof(text);
    b = atof(text);
    if (memcmp(&a, &b, sizeof a) != 0)
        DIFFERS("atof \"%s\"\n", text);
}

static const char *const FORMATS[] = {
    "%d", "%i", "%u", "%x", "%o", "%2d%3i", "%5x%n", "%ld %lu", "%hd%hhu", "%lld,%llx", "%zu%jd%tx",
    "v%d.%d-rc%d%3s", "%s", "%3s%s", "%c%c%c", "%4c%n", "%[a-f]%n", "%[^,],%s", "%5[]a-]%n", "%[^]a]%[-ab]", "%*d%d",
    "%*s %s", "%*[ab]%c", " %d , %d", "%d%%%d", "a%nb %n", "%0d", "%1d%1x", "x%i", "% d", "%X%i", "%*c%u", "a b%s",
    "%[a-c-f]%[z-a]%n", "%1s%1[0-9]%c", "%hhi%hhn", "%lf %d", "%f", "%p", "%5", "%", "%[ab", "%ls", "%2$d"};
static const char *const TEXTS[] = {"0", "1", "7", "12", "255", "99999999999", "99999999999999999999", "-", "+", "0x", "0X1f",
                                    "08", " ", "\n", "a", "b", "f", "g", "]", "-", ",", ".", "%", "v", "rc", "-rc", "x", "\xe4"};

static void scans(void)
{
    static unsigned char ours[6][64], theirs[6][64];
    const char *format = FORMATS[below(COUNT(FORMATS))];
    compose(text, TEXTS, COUNT(TEXTS), 7);
    memset(ours, 0xaa, sizeof ours);
    memset(theirs, 0xaa, sizeof theirs);
    int is_new = below(2);
#define POINTERS(b) b[0], b[1], b[2], b[3], b[4], b[5]
    int a = (is_new ? our___isoc99_sscanf : our_sscanf)(text, format, POINTERS(ours));
    int b = (is_new ? library_isoc99_sscanf : library_sscanf)(text, format, POINTERS(theirs));
    if (a != b || memcmp(ours, theirs, sizeof ours) != 0)
        DIFFERS("sscanf \"%s\" from \"%s\": %d %d\n", format, text, a, b);
}

int our_snprintf(char *to, size_t size, const char *format, ...);

/* Formats, and whether the first argument is a character. */
static const struct {
    const char *format;
    int is_character;
} PRINTS[] = {{"%s/%s", 0}, {"%s", 0}, {"a%%%sb", 0}, {"%c%s", 1}, {"%d%s", 1}, {"%5s", 0}, {"no", 0}, {"", 0}};

static void prints(void)
{
    char ours[24], theirs[24];
    unsigned which = below(COUNT(PRINTS));
    const char *format = PRINTS[which].format;
    char *first = PRINTS[which].is_character ? (char *)(long)'x' : text;
    size_t size = below(sizeof ours + 1);
    compose(text, LETTERS, COUNT(LETTERS), 12);
    memset(ours, 0xaa, sizeof ours);
    memset(theirs, 0xaa, sizeof theirs);
    int a = our_snprintf(ours, size, format, first, text), b = snprintf(theirs, size, format, first, text);
    if (a != b || memcmp(ours, theirs, sizeof ours) != 0)
        DIFFERS("snprintf \"%s\" of \"%s\" into %d: %d %d\n", format, text, (int)size, a, b);
}

int main(void)
{
    for (int round = 0; round < 200000; round++) {
        words();
        needles();
        numbers();
        scans();
        prints();
    }
    printf("%d differences\n", differences);
    return differences != 0;
}
