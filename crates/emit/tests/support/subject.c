#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { SCALENE, ISOSCELES, EQUILATERAL };

enum kind triangle(int a, int b, int c)
{
    if (a == b && b == c)
        return EQUILATERAL;
    return a == b || b == c || a == c ? ISOSCELES : SCALENE;
}

/* Structures by value, one without a tag. */
struct point {
    int x, y;
};
typedef struct {
    struct point min, max;
    const char *label;
} box_t;

struct point extent(box_t box, struct point scale)
{
    struct point result = {(box.max.x - box.min.x) * scale.x, (box.max.y - box.min.y) * scale.y};

    if (box.label)
        result.x += (int)strlen(box.label);
    return result;
}

/* Unions, named and anonymous. */
union word {
    float real;
    unsigned bits;
};

union word negated(union word w)
{
    w.bits ^= 0x80000000u;
    return w;
}

struct value {
    enum kind kind;
    union {
        int number;
        double real;
        char bytes[4];
        struct {
            short x, y;
        } pair;
    } as;
    union {
        int loose;
        long longer;
    };
};

int weigh(struct value v)
{
    if (v.kind == ISOSCELES)
        return v.as.pair.x * 100 + v.as.pair.y;
    return v.as.bytes[1] == 'b' ? (int)v.longer : 0;
}

/* Globals. */
static int total;
static int table[2][3];
static struct point origin;
static const int limit = 3;
static struct {
    int a;
    int b[2];
} config;
static volatile int ticks[2];
static const char *message;

int accumulate(int row, int column, int amount)
{
    static int calls;

    calls++;
    table[row][column] += amount;
    total += amount > limit ? limit : amount;
    origin.y = table[0][0] + config.b[1];
    ticks[1]++;
    message = amount ? "done" : NULL;
    return calls;
}

/* Bit-fields. */
struct status {
    unsigned ready : 1;
    int level : 5;
    unsigned long long count : 40;
};

struct status bump(struct status s)
{
    s.ready = !s.ready;
    s.level -= 1;
    s.count += 1;
    return s;
}

/* Floats. */
double scaled(float f, double d, long double l)
{
    return (double)f * d * (double)l;
}

float negative(float f)
{
    return -f;
}

long double tenth(long double x)
{
    return x / 10;
}

/* Pointers. */
long sum(const int *values, unsigned count)
{
    long result = 0;

    if (!values)
        return -1;
    for (unsigned i = 0; i < count; i++)
        result += values[i];
    return result;
}

void swap(int *a, int *b)
{
    int old = *a;

    *a = *b;
    *b = old;
}

struct node {
    int value;
    struct node *next;
};

struct node *last(struct node *list, int steps)
{
    while (list && list->next && steps-- > 0)
        list = list->next;
    if (list)
        list->value++;
    return list;
}

struct node *detach(struct node *list)
{
    struct node *rest = list->next;

    list->next = NULL;
    return rest;
}

int trace(const int (*m)[3])
{
    return m[0][0] + m[1][1];
}

char *first_space(char *text)
{
    char *found = strchr(text, ' ');

    if (found)
        *found = '_';
    return found;
}

int vowel(char c)
{
    return c == 'a' || c == 'e';
}

/* Wide integers. */
__extension__ typedef unsigned __int128 u128;
__extension__ __int128 wide(__int128 a, u128 b)
{
    return a + (__int128)(b >> 64);
}

unsigned long long halve(unsigned long long x, long long y, unsigned z)
{
    return x / 2 + (unsigned long long)(y < 0) + (z == 4294967295u);
}

/* Takes its argument for good. */
int consume(struct node *list, int *values, int (*row)[2])
{
    int sum = list->value + values[1] + (*row)[1];

    free(list->next);
    free(list);
    free(values);
    free(row);
    return sum;
}

/* Frees one object, changes another, and hands over a new one. */
struct node *extend(struct node *list, int *values, int (*row)[2])
{
    free(values);
    (*row)[1] = 7;
    list->next = calloc(1, sizeof *list);
    return list->next;
}

/* Names a test must not trip over. */
int same_names(int result, int total, struct point *SCALENE_)
{
    return result + total + SCALENE_->x;
}

int SET(int NEW)
{
    return NEW + 1;
}

int fail(int state)
{
    return state;
}

/* Zeros all the way down. */
struct nothing {};
struct nested {
    struct {
        struct point at[2];
    } first;
    union word second;
    struct nothing third;
};
static struct nested nest;

int is_zero(struct nested n, union word w, struct nothing none, int (*m)[2])
{
    (void)none;
    return n.first.at[0].x == 0 && n.second.bits == 0 && w.bits == 0 && m[0][0] == 0 &&
           nest.first.at[1].y == 0;
}

/* Old style. */
int old_style(c, x, n)
    char c;
    float x;
    long n;
{
    return c == 'x' && x == 0.5f && n == 7;
}

/* Ends. */
void stop(int status)
{
    printf("stopping\n");
    exit(status);
}

int must_be_small(int x)
{
    if (x > 9) {
        fprintf(stderr, "too large\n");
        abort();
    }
    return x;
}

int divide(int a, int b)
{
    return a / b;
}

void noisy(void)
{
    for (int i = 0; i < 20000; i++)
        printf("line %d of what fills a pipe: %s\n", i, "------------------------------");
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return argv[1][0];
}
