/* stat() writes these, call by call, the last ever after; an error number that is not 0 comes instead. */
struct stat stat_results[2];
int stat_errors[2];

int stat(const char *path, struct stat *status)
{
    extern int *__errno_location(void);
    static unsigned calls;
    unsigned call = calls < 1 ? calls++ : 1;

    (void)path;
    if (!stat_errors[call]) {
        *status = stat_results[call];
        return 0;
    }
    *__errno_location() = stat_errors[call];
    return -1;
}
