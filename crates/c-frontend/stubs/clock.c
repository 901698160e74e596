/* clock() gives these, call by call, the last ever after. */
long clock_results[4];

long clock(void)
{
    static unsigned calls;
    unsigned call = calls < 3 ? calls++ : 3;

    return clock_results[call];
}
