/*
 * Language: that of the "C" locale, whose characters are those of ASCII. Written out where programs ask character by
 * character.
 */
#include "program.h"
#include <libintl.h>
#include <locale.h>
#include <wchar.h>
#include <wctype.h>

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

/* One byte is one character; those beyond ASCII are none. */
size_t bw_mbrtowc(wchar_t *restrict to, const char *restrict from, size_t most, mbstate_t *restrict state)
{
    (void)state;
    if (!from)
        return 0;
    if (most == 0)
        return -2;
    unsigned char c = *from;
    if (c > 127) {
        errno = EILSEQ;
        return -1;
    }
    if (to)
        *to = c;
    return c != 0;
}

size_t bw_mbrlen(const char *restrict from, size_t most, mbstate_t *restrict state)
{
    return bw_mbrtowc(NULL, from, most, state);
}
int bw_mbtowc(wchar_t *restrict to, const char *restrict from, size_t most)
{
    return most ? (int)bw_mbrtowc(to, from, most, NULL) : from ? -1 : 0;
}
int bw_mblen(const char *from, size_t most) { return bw_mbtowc(NULL, from, most); }
int bw_mbsinit(const mbstate_t *state) { return (void)state, 1; }

size_t bw_wcrtomb(char *restrict to, wchar_t from, mbstate_t *restrict state)
{
    (void)state;
    if (!to)
        return 1;
    if (from < 0 || from > 127) {
        errno = EILSEQ;
        return -1;
    }
    *to = from;
    return 1;
}
int bw_wctomb(char *to, wchar_t from) { return to ? (int)bw_wcrtomb(to, from, NULL) : 0; }
wint_t bw_btowc(int c) { return c >= 0 && c < 128 ? (wint_t)c : WEOF; }
int bw_wctob(wint_t c) { return c < 128 ? (int)c : EOF; }

static int between(wint_t c, wint_t low, wint_t high) { return c >= low && c <= high; }
int bw_iswdigit(wint_t c) { return between(c, '0', '9'); }
int bw_iswupper(wint_t c) { return between(c, 'A', 'Z'); }
int bw_iswlower(wint_t c) { return between(c, 'a', 'z'); }
int bw_iswalpha(wint_t c) { return bw_iswupper(c) | bw_iswlower(c); }
int bw_iswalnum(wint_t c) { return bw_iswalpha(c) | bw_iswdigit(c); }
int bw_iswxdigit(wint_t c) { return bw_iswdigit(c) | between(c, 'a', 'f') | between(c, 'A', 'F'); }
int bw_iswspace(wint_t c) { return (c == ' ') | between(c, 9, 13); }
int bw_iswblank(wint_t c) { return (c == ' ') | (c == 9); }
int bw_iswcntrl(wint_t c) { return (c < 32) | (c == 127); }
int bw_iswprint(wint_t c) { return between(c, ' ', '~'); }
int bw_iswgraph(wint_t c) { return between(c, '!', '~'); }
int bw_iswpunct(wint_t c) { return bw_iswgraph(c) & !bw_iswalnum(c); }
wint_t bw_towlower(wint_t c) { return bw_iswupper(c) ? c + 32 : c; }
wint_t bw_towupper(wint_t c) { return bw_iswlower(c) ? c - 32 : c; }
