/* isatty() gives these, call by call, the last ever after. */
_Bool isatty_results[4];

int isatty(int file)
{
    static unsigned calls;
    unsigned call = calls < 3 ? calls++ : 3;

    (void)file;
    return isatty_results[call];
}
