/* random() gives these, call by call, the last ever after. */
long random_results[4];

long random(void)
{
    static unsigned calls;
    unsigned call = calls < 3 ? calls++ : 3;

    return random_results[call] & 0x7fffffff;
}
