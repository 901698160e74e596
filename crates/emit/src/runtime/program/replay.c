/*
 * Answers a harness from the file that BRANCHWISE_VALUES names: a line for every call, in order. A line is a kind, a
 * size, and a number, or an x and bytes in hexadecimal; the rest is for people. Beyond the last line all is zero.
 *
 * The calls themselves are those that branchwise had while it looked for the tests.
 */
#define _GNU_SOURCE
#include "calls.c"

static unsigned char *first;
static size_t first_size;

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "harness: %s\n", what);
    exit(125);
}

static unsigned char *parse(const char *line, size_t *size)
{
    int start = 0;
    if (sscanf(line, "%*s %zu %n", size, &start) != 1 || start == 0)
        fail("a line of the values makes no sense");
    unsigned char *bytes = calloc(*size + 1, 1);
    if (!bytes)
        fail("out of memory");
    const char *text = line + start;
    unsigned byte;
    if (*text == 'x') {
        for (size_t i = 0; i < *size && sscanf(text + 1 + 2 * i, "%2x", &byte) == 1; i++)
            bytes[i] = byte;
        return bytes;
    }
    unsigned long long number = strtoull(text, NULL, 0);
    for (size_t i = 0; i < *size && i < sizeof number; i++)
        bytes[i] = number >> 8 * i;
    return bytes;
}

/* Numbers and blocks are handed out from different places, as branchwise_symbolic() in calls.c has it. */
static void put(const unsigned char *bytes, size_t size)
{
    static size_t numbers, used;
    if (size > sizeof *values) {
        if (size > sizeof blocks - used)
            fail("too many bytes in blocks");
        memcpy(blocks + used, bytes, size);
        used += size;
        return;
    }
    if (numbers == BW_VALUES)
        fail("too many values");
    for (size_t i = 0; i < size; i++)
        values[numbers] |= (unsigned long long)bytes[i] << 8 * i;
    numbers++;
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
    size_t room = 0, size;
    while (getline(&line, &room, file) > 0) {
        unsigned char *bytes = parse(line, &size);
        put(bytes, size);
        if (first) {
            free(bytes);
            continue;
        }
        first = bytes;
        first_size = size;
    }
    free(line);
    fclose(file);
    unsetenv("BRANCHWISE_VALUES");
}

/* For fuzzer.c: the bytes of the first value. */
const unsigned char *branchwise_fuzzer_input(size_t *size)
{
    *size = first_size;
    return first ? first : (const unsigned char *)"";
}
