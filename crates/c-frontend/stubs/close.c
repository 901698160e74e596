/* close() has these error numbers, call by call, the last ever after; 0 is none. */
int close_errors[4];

int close(int file)
{
    extern int *__errno_location(void);
    static unsigned calls;
    unsigned call = calls < 3 ? calls++ : 3;

    (void)file;
    if (!close_errors[call])
        return 0;
    *__errno_location() = close_errors[call];
    return -1;
}
