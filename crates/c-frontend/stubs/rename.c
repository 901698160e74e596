/* rename() has these error numbers, call by call, the last ever after; 0 is none. */
int rename_errors[4];

int rename(const char *from, const char *to)
{
    extern int *__errno_location(void);
    static unsigned calls;
    unsigned call = calls < 3 ? calls++ : 3;

    (void)from;
    (void)to;
    if (!rename_errors[call])
        return 0;
    *__errno_location() = rename_errors[call];
    return -1;
}
