/* rename() has these error numbers, call by call, the last ever after; 0 is none. */
int rename_errors[4];

int rename(const char *from, const char *to)
{
    extern int *__errno_location(void);
    static unsigned calls;
    unsigned call = calls < 3 ? calls++ : 3;
    int error = *from && *to ? rename_errors[call] : 2;

    if (!error)
        return 0;
    *__errno_location() = error;
    return -1;
}
