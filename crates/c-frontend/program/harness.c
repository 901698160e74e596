/*
 * What a harness asks for: a number comes from the next place of values, a block from the next places of blocks. Which
 * kinds were asked for in which order is noted, so that a test can be written down.
 */
#include "program.h"

static unsigned long long values[BW_VALUES];
static unsigned char blocks[BW_BLOCK_BYTES];
/* An entry of order: the kind in the low byte, the size of a block above; its name in names. */
static unsigned order[BW_VALUES];
static unsigned long long names[BW_VALUES][BW_NAME];
static unsigned asked;

static size_t next_value, next_byte;

/* Ends the run: nothing that follows happened in a world that the harness allows. */
_Noreturn void bwp_reject(void);

static void note(unsigned kind, size_t size, const char *name)
{
    if (asked == BW_VALUES)
        return;
    for (int i = 0; name && name[i] && i < 8 * BW_NAME; i++)
        names[asked][i / 8] |= (unsigned long long)(unsigned char)name[i] << i % 8 * 8;
    order[asked++] = kind | (unsigned)size << 8;
}

enum { BLOCK = 'b', BOOL = 't', SIGNED = 's', UNSIGNED = 'u', FLOAT = 'f' };

static unsigned long long number(unsigned kind, size_t size, const char *name)
{
    note(kind, size, name);
    return next_value < BW_VALUES ? values[next_value++] : 0;
}

void branchwise_symbolic(void *to, size_t size, const char *name)
{
    unsigned char *bytes = to;
    if (size <= 8) {
        unsigned long long value = number(SIGNED, size, name);
        for (size_t i = 0; i < size; i++)
            bytes[i] = value >> 8 * i;
        return;
    }
    note(BLOCK, size, name);
    for (size_t i = 0; i < size; i++)
        bytes[i] = next_byte < BW_BLOCK_BYTES ? blocks[next_byte++] : 0;
}

void branchwise_assume(int condition)
{
    if (!condition)
        bwp_reject();
}

#define ANSWER
#include "calls.h"
