/* A directory that is open: names of entries, and their types (DT_REG, DT_DIR, ...). */
struct open_directory {
    unsigned count;
    struct {
        char name[16];
        unsigned char type;
    } entries[4];
    unsigned next;
};

/* opendir() opens these, call by call, then none; an error number that is not 0 comes instead. */
struct open_directory opendir_results[2];
int opendir_errors[2];

DIR *opendir(const char *path)
{
    extern int *__errno_location(void);
    static unsigned calls;
    unsigned call = calls < 2 ? calls++ : 2;

    if (!*path || call == 2 || opendir_errors[call]) {
        *__errno_location() = *path && call < 2 ? opendir_errors[call] : 2;
        return 0;
    }
    opendir_results[call].next = 0;
    return (DIR *)&opendir_results[call];
}

struct dirent *readdir(DIR *directory)
{
    static struct dirent entry;
    struct open_directory *own = (struct open_directory *)directory;
    unsigned i;

    if (own->next >= own->count || own->next >= 4)
        return 0;
    for (i = 0; i < 15; i++)
        entry.d_name[i] = own->entries[own->next].name[i];
    entry.d_type = own->entries[own->next].type;
    entry.d_ino = ++own->next;
    return &entry;
}

void rewinddir(DIR *directory)
{
    ((struct open_directory *)directory)->next = 0;
}

/* closedir() has these error numbers, call by call, the last ever after; 0 is none. */
int closedir_errors[2];

int closedir(DIR *directory)
{
    extern int *__errno_location(void);
    static unsigned calls;
    unsigned call = calls < 1 ? calls++ : 1;

    (void)directory;
    if (!closedir_errors[call])
        return 0;
    *__errno_location() = closedir_errors[call];
    return -1;
}
