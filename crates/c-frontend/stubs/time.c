/* time() gives these, call by call, the last ever after. */
long time_results[4];

long time(long *now)
{
    static unsigned calls;
    unsigned call = calls < 3 ? calls++ : 3;

    if (now)
        *now = time_results[call];
    return time_results[call];
}
