/* unlink() has these error numbers, call by call, the last ever after; 0 is none. */
int unlink_errors[4];

int unlink(const char *path)
{
    extern int *__errno_location(void);
    static unsigned calls;
    unsigned call = calls < 3 ? calls++ : 3;
    int error = *path ? unlink_errors[call] : 2;

    if (!error)
        return 0;
    *__errno_location() = error;
    return -1;
}
