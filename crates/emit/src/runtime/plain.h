__extension__ typedef __int128 branchwise_int;

void branchwise_check_int(const char *file, int line, const char *what, branchwise_int actual,
                          branchwise_int expected);
void branchwise_check_float(const char *file, int line, const char *what, long double actual,
                            long double expected);
void branchwise_check_pointer(const char *file, int line, const char *what, int as_expected,
                              const char *expected);

#undef CHECK_INT
#undef CHECK_FLOAT
#undef CHECK_NULL
#undef CHECK_NOT_NULL
#undef CHECK_POINTER
#define CHECK_INT(actual, expected) \
    branchwise_check_int(__FILE__, __LINE__, #actual, (branchwise_int)(actual), (branchwise_int)(expected))
/* Any NaN equals any NaN; -0.0 and 0.0 differ. */
#define CHECK_FLOAT(actual, expected) \
    branchwise_check_float(__FILE__, __LINE__, #actual, (long double)(actual), (long double)(expected))
#define CHECK_NULL(actual) branchwise_check_pointer(__FILE__, __LINE__, #actual, (actual) == NULL, "NULL")
#define CHECK_NOT_NULL(actual) \
    branchwise_check_pointer(__FILE__, __LINE__, #actual, (actual) != NULL, "not NULL")
#define CHECK_POINTER(actual, expected) \
    branchwise_check_pointer(__FILE__, __LINE__, #actual, \
                             (const volatile void *)(actual) == (const volatile void *)(expected), #expected)

#define BRANCHWISE_PARAMETERS void
