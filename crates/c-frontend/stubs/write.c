/* write() has these error numbers, call by call, the last ever after; 0 is none. What is written goes nowhere. */
int write_errors[4];

long write(int file, const void *buffer, unsigned long size)
{
    extern int *__errno_location(void);
    static unsigned calls;
    unsigned call = calls < 3 ? calls++ : 3;

    (void)file;
    (void)buffer;
    if (!write_errors[call])
        return (long)size;
    *__errno_location() = write_errors[call];
    return -1;
}
