static void call_test(const struct branchwise_test *test)
{
    test->run();
}

static void fail(const char *file, int line, const char *what, const char *expected, const char *actual)
{
    shared->failures++;
    dprintf(report, "%s:%d: %s: expected %s, got %s\n", file, line, what, expected, actual);
}

/* In decimal if it fits 64 bits. */
static void int_text(char *text, size_t size, branchwise_int value)
{
    if (value >= LLONG_MIN && value <= LLONG_MAX)
        snprintf(text, size, "%lld", (long long)value);
    else if (value > 0 && value <= (branchwise_int)ULLONG_MAX)
        snprintf(text, size, "%llu", (unsigned long long)value);
    else
        snprintf(text, size, "0x%016llx%016llx", (unsigned long long)(value >> 64), (unsigned long long)value);
}

void branchwise_check_int(const char *file, int line, const char *what, branchwise_int actual,
                          branchwise_int expected)
{
    char wanted[40];
    char found[40];

    if (actual == expected)
        return;
    int_text(wanted, sizeof wanted, expected);
    int_text(found, sizeof found, actual);
    fail(file, line, what, wanted, found);
}

void branchwise_check_float(const char *file, int line, const char *what, long double actual,
                            long double expected)
{
    char wanted[40];
    char found[40];

    if (same_float(actual, expected))
        return;
    snprintf(wanted, sizeof wanted, "%.21Lg", expected);
    snprintf(found, sizeof found, "%.21Lg", actual);
    fail(file, line, what, wanted, found);
}

void branchwise_check_pointer(const char *file, int line, const char *what, int as_expected,
                              const char *expected)
{
    if (!as_expected)
        fail(file, line, what, expected, "another pointer");
}
