/*
 * Answers a harness from the file that BRANCHWISE_VALUES names: a line for every call, in order. A line is a kind, a
 * size, and a number, or an x and bytes in hexadecimal; the rest is for people. Beyond the last line all is zero.
 *
 * What the program defines itself counts: everything here is weak.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/branchwise.h"
#include "include/crest.h"
#include "include/klee/klee.h"

struct value {
    size_t size;
    unsigned char *bytes;
};

static struct value *values;
static size_t count, next;

static void fail(const char *what)
{
    fprintf(stderr, "harness: %s\n", what);
    exit(125);
}

static void *allocate(size_t size)
{
    void *memory = calloc(1, size ? size : 1);
    if (!memory)
        fail("out of memory");
    return memory;
}

static struct value parse(const char *line)
{
    struct value value;
    int start = 0;
    if (sscanf(line, "%*s %zu %n", &value.size, &start) != 1 || start == 0)
        fail("a line of the values makes no sense");
    value.bytes = allocate(value.size);
    const char *text = line + start;
    if (*text == 'x') {
        unsigned byte;
        for (size_t i = 0; i < value.size && sscanf(text + 1 + 2 * i, "%2x", &byte) == 1; i++)
            value.bytes[i] = byte;
        return value;
    }
    unsigned long long number = strtoull(text, NULL, 0);
    for (size_t i = 0; i < value.size && i < sizeof number; i++)
        value.bytes[i] = number >> 8 * i;
    return value;
}

/* Before main, and without a trace: the program finds descriptors and environment as if nothing had happened. */
__attribute__((constructor)) static void read_values(void)
{
    const char *path = getenv("BRANCHWISE_VALUES");
    if (!path)
        return;
    FILE *file = fopen(path, "r");
    if (!file)
        fail("the values cannot be read");
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, file) > 0) {
        struct value *more = realloc(values, (count + 1) * sizeof *values);
        if (!more)
            fail("out of memory");
        values = more;
        values[count++] = parse(line);
    }
    free(line);
    fclose(file);
    unsetenv("BRANCHWISE_VALUES");
}

/* Whoever asks for more than there is gets zeros. */
static void answer(void *to, size_t size, const char *name)
{
    memset(to, 0, size);
    if (next == count)
        return;
    struct value *value = &values[next++];
    if (value->size != size)
        fprintf(stderr, "harness: %s has %zu bytes, the test gives %zu\n", name ? name : "a value", size, value->size);
    memcpy(to, value->bytes, size < value->size ? size : value->size);
}

#define ANSWER __attribute__((weak))

enum { BOOL, SIGNED, UNSIGNED, FLOAT };

static unsigned long long number(int kind, size_t size, const char *name)
{
    unsigned char bytes[sizeof(unsigned long long)];
    unsigned long long value = 0;
    (void)kind;
    answer(bytes, size, name);
    for (size_t i = 0; i < size; i++)
        value |= (unsigned long long)bytes[i] << 8 * i;
    return value;
}

ANSWER void branchwise_symbolic(void *to, size_t size, const char *name) { answer(to, size, name); }

static _Noreturn void bwp_reject(void)
{
    fprintf(stderr, "harness: an assumption does not hold\n");
    exit(125);
}

ANSWER void branchwise_assume(int condition)
{
    if (!condition)
        bwp_reject();
}

/* For fuzzer.c: the bytes of the first value. */
const unsigned char *branchwise_fuzzer_input(size_t *size)
{
    *size = count ? values[0].size : 0;
    return count ? values[0].bytes : (const unsigned char *)"";
}

#include "calls.h"
