/* getenv() gives these, call by call, the last ever after. */
_Bool getenv_exists[4];
char getenv_text[4][16];

char *getenv(const char *name)
{
    static unsigned calls;
    unsigned call = calls < 3 ? calls++ : 3;

    (void)name;
    getenv_text[call][15] = '\0';
    return getenv_exists[call] ? getenv_text[call] : 0;
}
