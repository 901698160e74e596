/* stat() writes these, call by call, the last ever after; an error number that is not 0 comes instead. */
struct stat stat_results[2];
int stat_errors[2];

int stat(const char *path, struct stat *status)
{
    extern int *__errno_location(void);
    static unsigned calls;
    unsigned call = calls < 1 ? calls++ : 1;
    int error = *path ? stat_errors[call] : 2;

    if (!error) {
        *status = stat_results[call];
        return 0;
    }
    *__errno_location() = error;
    return -1;
}
