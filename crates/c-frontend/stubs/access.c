/* access() has these error numbers, call by call, the last ever after; 0 is none. */
int access_errors[4];

int access(const char *path, int mode)
{
    extern int *__errno_location(void);
    static unsigned calls;
    unsigned call = calls < 3 ? calls++ : 3;
    int error = *path ? access_errors[call] : 2;

    (void)mode;
    if (!error)
        return 0;
    *__errno_location() = error;
    return -1;
}
