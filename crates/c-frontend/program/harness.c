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

void klee_make_symbolic(void *to, size_t size, const char *name) { branchwise_symbolic(to, size, name); }

int klee_int(const char *name) { return number(SIGNED, 4, name); }

int klee_range(int begin, int end, const char *name)
{
    int value = number(SIGNED, 4, name);
    if (value < begin || value >= end)
        bwp_reject();
    return value;
}

uintptr_t klee_choose(uintptr_t n)
{
    uintptr_t value = number(UNSIGNED, sizeof n, "choice");
    if (value >= n)
        bwp_reject();
    return value;
}
void __CrestChar(signed char *to) { *to = number(SIGNED, sizeof *to, "char"); }
void __CrestUChar(unsigned char *to) { *to = number(UNSIGNED, sizeof *to, "unsigned char"); }
void __CrestShort(short *to) { *to = number(SIGNED, sizeof *to, "short"); }
void __CrestUShort(unsigned short *to) { *to = number(UNSIGNED, sizeof *to, "unsigned short"); }
void __CrestInt(int *to) { *to = number(SIGNED, sizeof *to, "int"); }
void __CrestUInt(unsigned *to) { *to = number(UNSIGNED, sizeof *to, "unsigned int"); }
void __CrestLong(long *to) { *to = number(SIGNED, sizeof *to, "long"); }
void __CrestULong(unsigned long *to) { *to = number(UNSIGNED, sizeof *to, "unsigned long"); }
void __CrestFloat(float *to)
{
    unsigned bits = number(FLOAT, sizeof *to, "float");
    memcpy(to, &bits, sizeof *to);
}
void __CrestDouble(double *to)
{
    unsigned long long bits = number(FLOAT, sizeof *to, "double");
    memcpy(to, &bits, sizeof *to);
}

#define NONDET(name, type, kind)                                                                                       \
    type __VERIFIER_nondet_##name(void) { return (type)number(kind, sizeof(type), #type); }
NONDET(char, char, SIGNED)
NONDET(schar, signed char, SIGNED)
NONDET(uchar, unsigned char, UNSIGNED)
NONDET(unsigned_char, unsigned char, UNSIGNED)
NONDET(short, short, SIGNED)
NONDET(ushort, unsigned short, UNSIGNED)
NONDET(int, int, SIGNED)
NONDET(uint, unsigned, UNSIGNED)
NONDET(unsigned, unsigned, UNSIGNED)
NONDET(unsigned_int, unsigned, UNSIGNED)
NONDET(long, long, SIGNED)
NONDET(ulong, unsigned long, UNSIGNED)
NONDET(longlong, long long, SIGNED)
NONDET(ulonglong, unsigned long long, UNSIGNED)
NONDET(size_t, size_t, UNSIGNED)
NONDET(loff_t, long, SIGNED)
NONDET(u8, uint8_t, UNSIGNED)
NONDET(u16, uint16_t, UNSIGNED)
NONDET(u32, uint32_t, UNSIGNED)
NONDET(u64, uint64_t, UNSIGNED)
NONDET(S8, int8_t, SIGNED)
NONDET(S16, int16_t, SIGNED)
NONDET(S32, int32_t, SIGNED)
NONDET(S64, int64_t, SIGNED)
NONDET(U8, uint8_t, UNSIGNED)
NONDET(U16, uint16_t, UNSIGNED)
NONDET(U32, uint32_t, UNSIGNED)
NONDET(U64, uint64_t, UNSIGNED)
_Bool __VERIFIER_nondet_bool(void) { return number(BOOL, 1, "_Bool") & 1; }
_Bool __VERIFIER_nondet__Bool(void) { return number(BOOL, 1, "_Bool") & 1; }
void *__VERIFIER_nondet_pointer(void) { return (void *)(uintptr_t)number(UNSIGNED, sizeof(void *), "pointer"); }
float __VERIFIER_nondet_float(void)
{
    unsigned bits = number(FLOAT, 4, "float");
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
double __VERIFIER_nondet_double(void)
{
    unsigned long long bits = number(FLOAT, 8, "double");
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
