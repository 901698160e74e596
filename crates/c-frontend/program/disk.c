/*
 * Files and folders that the program makes: they live in memory and are gone with the run, so that every run finds the
 * same. Files of the machine stay as they are.
 */
#include "program.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST 128

static struct made made[MOST];
static int count;

int bwp_lift(int descriptor);
int bw_stat(const char *name, struct stat *to);

static const char *plain(const char *name)
{
    while (name[0] == '.' && name[1] == '/')
        name += 2;
    return name;
}

struct made *bwp_made_of_name(const char *name)
{
    name = plain(name);
    for (int i = 0; i < count; i++)
        if (made[i].name && !strcmp(made[i].name, name))
            return &made[i];
    return NULL;
}

static void *fail(int number) { return errno = number, NULL; }
static int failed(int number) { return errno = number, -1; }

/* Whether the folder of a file is there. */
static int has_folder(const char *name)
{
    const char *slash = strrchr(name, '/');
    struct stat about;
    if (!slash || slash == name)
        return 1;
    char *folder = strndup(name, slash - name);
    return folder && bw_stat(folder, &about) == 0 && S_ISDIR(about.st_mode);
}

/* Below the folder in which the program runs, or in the one for temporary files. */
static int is_within_reach(const char *name) { return name[0] != '/' || !strncmp(name, "/tmp/", 5); }

static struct made *add(const char *name, int descriptor)
{
    if (!is_within_reach(name))
        return fail(EACCES);
    if (!has_folder(plain(name)))
        return fail(ENOENT);
    int place = 0;
    while (place < count && made[place].name)
        place++;
    char *copy = place < MOST ? strdup(plain(name)) : NULL;
    if (!copy)
        return fail(ENOSPC);
    count += place == count;
    made[place] = (struct made){.name = copy, .descriptor = descriptor};
    return &made[place];
}

static int reopen(int descriptor, int flags)
{
    char name[32];
    snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
    return bwp_lift(open(name, flags & (O_ACCMODE | O_APPEND | O_TRUNC | O_NONBLOCK)));
}

int bwp_open_made(const char *name, int flags, int mode)
{
    (void)mode;
    struct made *file = bwp_made_of_name(name);
    if (file && flags & O_CREAT && flags & O_EXCL)
        return failed(EEXIST);
    if (file && file->descriptor < 0) {
        errno = (flags & O_ACCMODE) == O_RDONLY ? ENOTSUP : EISDIR;
        return -1;
    }
    if (!file) {
        struct stat about;
        int is_there = stat(name, &about) == 0;
        if (is_there || !(flags & O_CREAT))
            return failed(!is_there ? ENOENT : S_ISDIR(about.st_mode) ? EISDIR : flags & O_EXCL ? EEXIST : EACCES);
        file = add(name, -1);
        if (!file)
            return -1;
        file->descriptor = bwp_lift(memfd_create("made", 0));
    }
    return reopen(file->descriptor, flags);
}

/* Names of temporary files end with six places for letters, and `behind` more bytes; NULL if this one does not. */
static char *places(char *name, int behind)
{
    static const char open[] = "XXXXXX";
    size_t length = strlen(name), most = sizeof open - 1;
    char *letters = name + length - behind - most;
    return length >= behind + most && !strncmp(letters, open, most) ? letters : NULL;
}

static void spell(char *letters, unsigned number)
{
    for (int i = 0; i < 6; i++)
        letters[i] = 'a' + (number >> 4 * i & 15);
}

int bw_mkstemps(char *name, int behind)
{
    char *letters = behind < 0 ? NULL : places(name, behind);
    if (!letters)
        return failed(EINVAL);
    for (unsigned n = bwp_elsewhere();; n++) {
        spell(letters, n);
        int descriptor = bw_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
        if (descriptor >= 0 || errno != EEXIST)
            return descriptor;
    }
}

int bw_mkstemp(char *name) { return bw_mkstemps(name, 0); }
int bw_mkstemp64(char *name) { return bw_mkstemps(name, 0); }
int bw_mkostemp(char *name, int flags) { return (void)flags, bw_mkstemps(name, 0); }

FILE *bw_tmpfile(void)
{
    int descriptor = bwp_lift(memfd_create("temporary", 0));
    return descriptor < 0 ? NULL : fdopen(descriptor, "w+");
}
FILE *bw_tmpfile64(void) { return bw_tmpfile(); }

int bw_mkdir(const char *name, mode_t mode)
{
    struct stat about;
    (void)mode;
    if (bw_stat(name, &about) == 0)
        return failed(EEXIST);
    return add(name, -1) ? 0 : -1;
}

char *bw_mkdtemp(char *name)
{
    char *letters = places(name, 0);
    if (!letters)
        return fail(EINVAL);
    for (unsigned n = bwp_elsewhere();; n++) {
        spell(letters, n);
        if (bw_mkdir(name, 0700) == 0)
            return name;
        if (errno != EEXIST)
            return NULL;
    }
}

/* What is open stays open. */
int bw_unlink(const char *name)
{
    struct made *file = bwp_made_of_name(name);
    struct source *source = bwp_source_of_name(name);
    if (file && file->descriptor < 0)
        return failed(EISDIR);
    if (file)
        file->name = NULL;
    else if (source && *source->name)
        source->is_gone = 1;
    else
        return failed(access(name, F_OK) ? ENOENT : EACCES);
    return 0;
}

static int is_empty(const char *folder)
{
    size_t length = strlen(folder);
    for (int i = 0; i < count; i++)
        if (made[i].name && !strncmp(made[i].name, folder, length) && made[i].name[length] == '/')
            return 0;
    return 1;
}

int bw_rmdir(const char *name)
{
    struct made *folder = bwp_made_of_name(name);
    if (!folder)
        return failed(access(name, F_OK) ? ENOENT : EACCES);
    if (folder->descriptor >= 0)
        return failed(ENOTDIR);
    if (!is_empty(folder->name))
        return failed(ENOTEMPTY);
    folder->name = NULL;
    return 0;
}

int bw_remove(const char *name)
{
    struct made *file = bwp_made_of_name(name);
    return file && file->descriptor < 0 ? bw_rmdir(name) : bw_unlink(name);
}

int bw_unlinkat(int folder, const char *name, int flags)
{
    if (folder != AT_FDCWD && name[0] != '/')
        return failed(EACCES);
    return flags & AT_REMOVEDIR ? bw_rmdir(name) : bw_unlink(name);
}

int bw_rename(const char *from, const char *to)
{
    struct made *file = bwp_made_of_name(from), *there = bwp_made_of_name(to);
    struct source *source = bwp_source_of_name(to);
    if (!file)
        return failed(bwp_source_of_name(from) || !access(from, F_OK) ? EACCES : ENOENT);
    if (file == there)
        return 0;
    if (!is_within_reach(to) || !has_folder(plain(to)))
        return failed(is_within_reach(to) ? ENOENT : EACCES);
    if (there)
        there->name = NULL;
    else if (source)
        source->is_gone = 1;
    file->name = strdup(plain(to));
    return 0;
}

int bw_truncate(const char *name, off_t length)
{
    struct made *file = bwp_made_of_name(name);
    return file && file->descriptor >= 0 ? ftruncate(file->descriptor, length) : failed(EACCES);
}

/* Properties of files that nobody looks at later. */
static int is_known(const char *name)
{
    if (bwp_made_of_name(name) || bwp_source_of_name(name))
        return 0;
    return failed(access(name, F_OK) ? ENOENT : EPERM);
}
int bw_chmod(const char *name, mode_t mode) { return (void)mode, is_known(name); }
int bw_chown(const char *name, uid_t user, gid_t group) { return (void)user, (void)group, is_known(name); }
int bw_fchmod(int descriptor, mode_t mode) { return (void)descriptor, (void)mode, 0; }
int bw_fchown(int descriptor, uid_t user, gid_t group) { return (void)descriptor, (void)user, (void)group, 0; }
mode_t bw_umask(mode_t mode) { return (void)mode, 022; }
int bw_fsync(int descriptor) { return (void)descriptor, 0; }
int bw_fdatasync(int descriptor) { return (void)descriptor, 0; }

/* Folders: read at once, in the order of names. */
struct folder {
    size_t position, length;
    int descriptor; /* one more than it; 0 if there is none */
    struct dirent entries[];
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct dirent *)a)->d_name, ((const struct dirent *)b)->d_name);
}

static struct folder *enter(struct folder *folder, const char *name, unsigned char type)
{
    if (!folder)
        return NULL;
    size_t size = sizeof *folder + (folder->length + 1) * sizeof(struct dirent);
    struct folder *larger = realloc(folder, size);
    if (!larger)
        return fail(ENOMEM);
    struct dirent *entry = &larger->entries[larger->length++];
    *entry = (struct dirent){.d_ino = 3000 + larger->length, .d_reclen = sizeof *entry, .d_type = type};
    strncpy(entry->d_name, name, sizeof entry->d_name - 1);
    return larger;
}

static struct folder *read_own(const char *name)
{
    struct folder *folder = calloc(1, sizeof *folder);
    size_t length = strcmp(name, ".") ? strlen(name) + 1 : 0;
    folder = enter(enter(folder, ".", DT_DIR), "..", DT_DIR);
    for (int i = 0; folder && i < count; i++)
        if (made[i].name && (!length || (!strncmp(made[i].name, name, length - 1) && made[i].name[length - 1] == '/')) &&
            !strchr(made[i].name + length, '/'))
            folder = enter(folder, made[i].name + length, made[i].descriptor < 0 ? DT_DIR : DT_REG);
    for (struct source *s = bwp_sources; folder && !length && s->name; s++)
        if (*s->name && !s->is_gone && !strchr(s->name, '/'))
            folder = enter(folder, s->name, DT_REG);
    return folder;
}

static struct folder *read_real(const char *name)
{
    DIR *real = opendir(name);
    struct folder *folder = real ? calloc(1, sizeof *folder) : NULL;
    if (!real)
        return NULL;
    for (struct dirent *entry; folder && (entry = readdir(real));)
        folder = enter(folder, entry->d_name, entry->d_type);
    closedir(real);
    return folder;
}

DIR *bw_opendir(const char *name)
{
    struct made *own = bwp_made_of_name(name);
    struct source *source = bwp_source_of_name(name);
    if (own ? own->descriptor >= 0 : source != NULL)
        return fail(ENOTDIR);
    int is_here = !strcmp(name, ".") || !strcmp(name, "./");
    struct folder *folder = is_here ? read_own(".") : own ? read_own(own->name) : read_real(name);
    if (folder)
        qsort(folder->entries, folder->length, sizeof *folder->entries, by_name);
    return (DIR *)folder;
}

DIR *bw_fdopendir(int descriptor)
{
    struct stat opened, here;
    char name[40];
    if (fstat(descriptor, &opened) != 0)
        return NULL;
    if (!S_ISDIR(opened.st_mode))
        return fail(ENOTDIR);
    snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
    int is_here = stat(".", &here) == 0 && here.st_dev == opened.st_dev && here.st_ino == opened.st_ino;
    struct folder *folder = (struct folder *)bw_opendir(is_here ? "." : name);
    if (folder)
        folder->descriptor = descriptor + 1;
    return (DIR *)folder;
}

struct dirent *bw_readdir(DIR *dir)
{
    struct folder *folder = (struct folder *)dir;
    return folder->position < folder->length ? &folder->entries[folder->position++] : NULL;
}

int bw_closedir(DIR *dir)
{
    int descriptor = ((struct folder *)dir)->descriptor;
    free(dir);
    return descriptor ? bw_close(descriptor - 1) : 0;
}
void bw_rewinddir(DIR *dir) { ((struct folder *)dir)->position = 0; }
long bw_telldir(DIR *dir) { return ((struct folder *)dir)->position; }
void bw_seekdir(DIR *dir, long position) { ((struct folder *)dir)->position = position; }
int bw_dirfd(DIR *dir)
{
    int descriptor = ((struct folder *)dir)->descriptor;
    return descriptor ? descriptor - 1 : failed(ENOTSUP);
}
struct dirent64 *bw_readdir64(DIR *dir) { return (struct dirent64 *)bw_readdir(dir); }
