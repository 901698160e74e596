/* unlink() has these error numbers, call by call, the last ever after; 0 is none. */
int unlink_errors[4];

int unlink(const char *path)
{
    extern int *__errno_location(void);
    static unsigned calls;
    unsigned call = calls < 3 ? calls++ : 3;

    (void)path;
    if (!unlink_errors[call])
        return 0;
    *__errno_location() = unlink_errors[call];
    return -1;
}
