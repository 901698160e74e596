/* rand() gives these, call by call, the last ever after. */
int rand_results[4];

int rand(void)
{
    static unsigned calls;
    unsigned call = calls < 3 ? calls++ : 3;

    return rand_results[call] & 0x7fffffff;
}
