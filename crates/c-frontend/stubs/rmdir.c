/* rmdir() has these error numbers, call by call, the last ever after; 0 is none. */
int rmdir_errors[4];

int rmdir(const char *path)
{
    extern int *__errno_location(void);
    static unsigned calls;
    unsigned call = calls < 3 ? calls++ : 3;

    (void)path;
    if (!rmdir_errors[call])
        return 0;
    *__errno_location() = rmdir_errors[call];
    return -1;
}
