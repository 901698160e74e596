/*
 * What a harness calls, answered through number(), branchwise_symbolic(), branchwise_assume() and bwp_reject() of the
 * file that includes this one: while tests are searched for (harness.c beside this file), and when they are run
 * (harness.c of the emitted suite). ANSWER goes before every definition.
 */
ANSWER void klee_make_symbolic(void *to, size_t size, const char *name) { branchwise_symbolic(to, size, name); }

ANSWER void klee_assume(uintptr_t condition)
{
    if (!condition)
        bwp_reject();
}

ANSWER int klee_int(const char *name) { return number(SIGNED, 4, name); }

ANSWER int klee_range(int begin, int end, const char *name)
{
    int value = number(SIGNED, 4, name);
    branchwise_assume(value >= begin && value < end);
    return value;
}

ANSWER void klee_prefer_cex(void *object, uintptr_t condition) { (void)object, (void)condition; }
ANSWER _Noreturn void klee_silent_exit(int status) { (void)status, bwp_reject(); }
ANSWER _Noreturn void klee_report_error(const char *file, int line, const char *message, const char *suffix)
{
    (void)file, (void)line, (void)message, (void)suffix;
    abort();
}
ANSWER _Noreturn void klee_abort(void) { abort(); }
ANSWER void klee_warning(const char *text) { (void)text; }
ANSWER void klee_warning_once(const char *text) { (void)text; }
ANSWER unsigned klee_is_symbolic(uintptr_t value) { return (void)value, 0; }
ANSWER unsigned klee_is_replay(void) { return 0; }
ANSWER uintptr_t klee_choose(uintptr_t n)
{
    uintptr_t value = number(UNSIGNED, sizeof n, "choice");
    if (value >= n)
        bwp_reject();
    return value;
}
ANSWER int32_t klee_get_value_i32(int32_t value) { return value; }
ANSWER int64_t klee_get_value_i64(int64_t value) { return value; }
ANSWER void klee_open_merge(void) {}
ANSWER void klee_close_merge(void) {}

ANSWER void __CrestChar(signed char *to) { *to = number(SIGNED, sizeof *to, "char"); }
ANSWER void __CrestUChar(unsigned char *to) { *to = number(UNSIGNED, sizeof *to, "unsigned char"); }
ANSWER void __CrestShort(short *to) { *to = number(SIGNED, sizeof *to, "short"); }
ANSWER void __CrestUShort(unsigned short *to) { *to = number(UNSIGNED, sizeof *to, "unsigned short"); }
ANSWER void __CrestInt(int *to) { *to = number(SIGNED, sizeof *to, "int"); }
ANSWER void __CrestUInt(unsigned *to) { *to = number(UNSIGNED, sizeof *to, "unsigned int"); }
ANSWER void __CrestLong(long *to) { *to = number(SIGNED, sizeof *to, "long"); }
ANSWER void __CrestULong(unsigned long *to) { *to = number(UNSIGNED, sizeof *to, "unsigned long"); }
ANSWER void __CrestFloat(float *to)
{
    unsigned bits = number(FLOAT, sizeof *to, "float");
    memcpy(to, &bits, sizeof *to);
}
ANSWER void __CrestDouble(double *to)
{
    unsigned long long bits = number(FLOAT, sizeof *to, "double");
    memcpy(to, &bits, sizeof *to);
}

#define NONDET(name, type, kind)                                                                                       \
    ANSWER type __VERIFIER_nondet_##name(void) { return (type)number(kind, sizeof(type), #type); }
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
ANSWER _Bool __VERIFIER_nondet_bool(void) { return number(BOOL, 1, "_Bool") & 1; }
ANSWER _Bool __VERIFIER_nondet__Bool(void) { return number(BOOL, 1, "_Bool") & 1; }
ANSWER void *__VERIFIER_nondet_pointer(void) { return (void *)(uintptr_t)number(UNSIGNED, sizeof(void *), "pointer"); }
ANSWER float __VERIFIER_nondet_float(void)
{
    unsigned bits = number(FLOAT, 4, "float");
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
ANSWER double __VERIFIER_nondet_double(void)
{
    unsigned long long bits = number(FLOAT, 8, "double");
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
ANSWER void __VERIFIER_assume(int condition) { branchwise_assume(condition); }
ANSWER _Noreturn void __VERIFIER_error(void) { abort(); }
