/* What random functions build on: types of every calling convention, and functions worth calling. */
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum colour { RED, GREEN = 5, BLUE = -3, LAST = 1000 };

struct pair { float x, y; };
struct mixed { double d; int i; };
struct small { signed char c; unsigned short s; int i; };
struct large { long a[3]; float f; unsigned char b[5]; __int128 w; };
union cell { unsigned u; float f; unsigned char bytes[4]; struct { short low, high; } halves; };

char text[16] = "12 monkeys";
unsigned char data[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
short shorts[8] = {-1, 2, -300, 4000, 5, 6, 7, SHRT_MIN};
double doubles[4] = {0.5, -2, 1e10, 3};
static unsigned counter;

/* A number that an integer type can hold: other conversions are undefined. */
static double clamp(double x, double above, double below) { return x > above && x < below ? x : 0; }

/* Which bits a result has that is not a number depends on the optimiser. */
static double tidy(double x) { return x != x ? 0 : x; }

/* The argument of a call is computed even if most of its bits are dropped. */
static long needed(long n) { return n; }

static unsigned long fold(unsigned __int128 x) { return (unsigned long)x ^ (unsigned long)(x >> 64); }

static struct pair make_pair(unsigned long n)
{
    struct pair p = {(float)(int)n / 8, (float)(short)(n >> 32)};
    return p;
}

static struct mixed make_mixed(unsigned long n)
{
    struct mixed m = {(double)(long)n / 3, (int)(n >> 7)};
    return m;
}

static struct small make_small(unsigned long n)
{
    struct small s = {.c = (signed char)n, .i = (int)(n >> 9)};
    s.s = (unsigned short)(n >> 40);
    return s;
}

static struct large make_large(unsigned long n)
{
    struct large l = {{(long)n, 7, (long)(n >> 33)}, (float)(n & 255)};
    memset(l.b, (int)(n >> 3), sizeof l.b);
    l.b[n % 5] = 1;
    l.w = (__int128)n * (__int128)(n >> 1);
    return l;
}

static union cell make_cell(unsigned long n)
{
    union cell c;
    c.u = (unsigned)(n >> 5);
    return c;
}

static struct bits make_bits(unsigned long n)
{
    struct bits b;
    memset(&b, 0, sizeof b);
    b.a = n;
    b.b = n >> 11;
    b.c = n >> 23;
    b.d = n >> 40;
    b.e = n & 1;
    b.f = n >> 50;
    return b;
}

static struct pair swapped(struct pair p)
{
    struct pair q = {p.y, p.x};
    return p.x < p.y ? q : p;
}

static struct mixed blended(struct mixed m, float f)
{
    if (f > m.d)
        m.d += f;
    m.i ^= m.i >> 3;
    return m;
}

static struct small stepped(struct small s)
{
    s.s += (unsigned char)s.c;
    s.c = -s.c;
    return s;
}

static struct large turned(struct large l, int by)
{
    struct large r = l;
    for (int i = 0; i < 3; i++)
        r.a[i] = l.a[(unsigned)(i + by) % 3];
    memcpy(r.b + 1, l.b, 3);
    return r;
}

static struct bits raised(const struct bits *b)
{
    struct bits r = *b;
    r.a++;
    r.c += r.b;
    r.e = !r.e;
    return r;
}

static unsigned long power(unsigned long base, unsigned n)
{
    n &= 15;
    if (n == 0)
        return 1;
    unsigned long half = power(base, n / 2);
    return n % 2 ? half * half * base : half * half;
}

static long total(const char *kinds, ...)
{
    va_list list, again;
    long sum = 0;
    va_start(list, kinds);
    va_copy(again, list);
    for (const char *k = kinds; *k; k++) {
        switch (*k) {
        case 'i': sum += va_arg(list, int); break;
        case 'l': sum ^= va_arg(list, long); break;
        case 'd': sum += va_arg(list, double) > 1 ? 5 : -2; break;
        case 'w': sum += (long)(va_arg(list, __int128) >> 5); break;
        case 'p': sum += va_arg(list, struct pair).x < 2; break;
        case 's': sum += va_arg(list, struct small).s; break;
        case 'L': sum += va_arg(list, struct large).a[1]; break;
        }
    }
    va_end(list);
    if (*kinds == 'i' && va_arg(again, int) == 77)
        sum = -sum;
    va_end(again);
    return sum;
}

static int add(int a, int b) { return a + b; }
static int larger(int a, int b) { return a > b ? a : b; }
static int parity(int a, int b) { return (a ^ b) & 1 ? -a : b; }
static int count(int a, int b)
{
    counter += (unsigned)a;
    return (int)counter - b;
}

static int (*const table[4])(int, int) = {add, larger, parity, count};

static int apply(int (*f)(int, int), int a, int b) { return f ? f(a, b) : 0; }

/* Length of the word that the text begins with; other letters end it. */
static int word(const char *s)
{
    int n = 0;
    while (isalpha((unsigned char)s[n]))
        n++;
    return n;
}
