int branchwise_same_float(long double actual, long double expected)
{
    return same_float(actual, expected);
}

/* A group of one test: static variables of the code under test must not carry over from test to test. */
static void call_test(const struct branchwise_test *test)
{
    const struct CMUnitTest group[] = {{test->name, test->run, NULL, NULL, NULL}};

    (void)report;
    if (test->ends == BRANCHWISE_RETURNS)
        shared->failures = cmocka_run_group_tests_name(test->name, group, NULL, NULL);
    else
        test->run(NULL);
}
