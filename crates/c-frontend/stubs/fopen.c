/* fopen() opens files with these bytes, call by call, the last ever after. A length of -2 is the error number 2. */
char fopen_bytes[2][64];
int fopen_lengths[2];
/* Nothing can be written to what is opened for it. */
_Bool fopen_is_full[2];

FILE *fopen(const char *path, const char *mode)
{
    extern int *__errno_location(void);
    extern FILE *fmemopen(void *, unsigned long, const char *);
    static unsigned calls;
    unsigned call = calls < 1 ? calls++ : 1;
    int length = *path ? fopen_lengths[call] : -2;

    if (length < 0) {
        *__errno_location() = -length;
        return 0;
    }
    if (*mode == 'r')
        return fmemopen(fopen_bytes[call], length < 64 ? (unsigned long)length : 64, mode);
    return fmemopen(0, 65536, fopen_is_full[call] ? "r" : mode);
}
