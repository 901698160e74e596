/* remove() has these error numbers, call by call, the last ever after; 0 is none. */
int remove_errors[4];

int remove(const char *path)
{
    extern int *__errno_location(void);
    static unsigned calls;
    unsigned call = calls < 3 ? calls++ : 3;

    (void)path;
    if (!remove_errors[call])
        return 0;
    *__errno_location() = remove_errors[call];
    return -1;
}
