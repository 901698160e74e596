/* mkdir() has these error numbers, call by call, the last ever after; 0 is none. */
int mkdir_errors[4];

int mkdir(const char *path, unsigned mode)
{
    extern int *__errno_location(void);
    static unsigned calls;
    unsigned call = calls < 3 ? calls++ : 3;

    (void)path;
    (void)mode;
    if (!mkdir_errors[call])
        return 0;
    *__errno_location() = mkdir_errors[call];
    return -1;
}
