/* open() has these error numbers, call by call, the last ever after; where it is 0, it gives 3, 4, 5 or 6. */
int open_errors[4];

int open(const char *path, int flags, ...)
{
    extern int *__errno_location(void);
    static unsigned calls;
    unsigned call = calls < 3 ? calls++ : 3;
    int error = *path ? open_errors[call] : 2;

    (void)flags;
    if (!error)
        return 3 + (int)call;
    *__errno_location() = error;
    return -1;
}
