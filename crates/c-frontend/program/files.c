/* System calls on our sources. */
#include "program.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct source *bwp_source_of_descriptor(int descriptor)
{
    for (struct source *s = bwp_sources; s->name; s++)
        if (s->descriptor == descriptor && s->is_open)
            return s;
    return NULL;
}

struct source *bwp_source_of_name(const char *name)
{
    if (name[0] == '.' && name[1] == '/')
        name += 2;
    for (struct source *s = bwp_sources; s->name; s++) {
        const char *a = s->name, *b = name;
        while (*a && *a == *b)
            a++, b++;
        if (*s->name && !*a && !*b)
            return s;
    }
    return NULL;
}

/* The next byte, or EOF. */
int bwp_take(struct source *source)
{
    if (source->back >= 0) {
        int c = source->back;
        source->back = -1;
        return c;
    }
    if (source->position >= *source->length) {
        source->at_end = 1;
        return EOF;
    }
    return source->bytes[source->position++];
}

static int open_source(struct source *source, int flags)
{
    if ((flags & O_ACCMODE) != O_RDONLY) {
        errno = EACCES;
        return -1;
    }
    source->is_open = 1;
    source->position = 0;
    source->at_end = 0;
    source->back = -1;
    return source->descriptor;
}

static int open_real(const char *name, int flags, int mode)
{
    int low = open(name, flags, mode);
    if (low < 0)
        return low;
    int high = fcntl(low, F_DUPFD, BW_FIRST_OWN_DESCRIPTOR);
    close(low);
    return high;
}

static int mode_of(int flags, va_list *rest) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(*rest, int) : 0; }

int bw_open(const char *name, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    int mode = mode_of(flags, &rest);
    va_end(rest);
    struct source *source = bwp_source_of_name(name);
    return source ? open_source(source, flags) : open_real(name, flags, mode);
}

int bw_open64(const char *name, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    int mode = mode_of(flags, &rest);
    va_end(rest);
    return bw_open(name, flags, mode);
}

int bw_openat(int folder, const char *name, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    int mode = mode_of(flags, &rest);
    va_end(rest);
    if (folder == AT_FDCWD)
        return bw_open(name, flags, mode);
    return openat(folder, name, flags, mode);
}

int bw_openat64(int folder, const char *name, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    int mode = mode_of(flags, &rest);
    va_end(rest);
    return bw_openat(folder, name, flags, mode);
}

int bw_creat(const char *name, mode_t mode) { return bw_open(name, O_CREAT | O_WRONLY | O_TRUNC, mode); }

int bw_close(int descriptor)
{
    struct source *source = bwp_source_of_descriptor(descriptor);
    if (source)
        source->is_open = 0;
    return source || descriptor < BW_FIRST_OWN_DESCRIPTOR ? 0 : close(descriptor);
}

ssize_t bw_read(int descriptor, void *buffer, size_t most)
{
    struct source *source = bwp_source_of_descriptor(descriptor);
    if (!source) {
        if (descriptor >= BW_FIRST_OWN_DESCRIPTOR)
            return read(descriptor, buffer, most);
        errno = EBADF;
        return -1;
    }
    size_t n = 0;
    for (unsigned char *to = buffer; n < most && source->position < *source->length; n++)
        to[n] = source->bytes[source->position++];
    return n;
}

ssize_t bw_pread(int descriptor, void *buffer, size_t most, off_t offset)
{
    struct source *source = bwp_source_of_descriptor(descriptor);
    if (!source)
        return pread(descriptor, buffer, most, offset);
    if (!*source->name) {
        errno = ESPIPE;
        return -1;
    }
    size_t before = source->position;
    source->position = offset;
    ssize_t n = bw_read(descriptor, buffer, most);
    source->position = before;
    return n;
}

/* Standard input is a pipe, which cannot be wound back. */
off_t bw_lseek(int descriptor, off_t offset, int whence)
{
    struct source *source = bwp_source_of_descriptor(descriptor);
    if (!source)
        return lseek(descriptor, offset, whence);
    off_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? (off_t)source->position : (off_t)*source->length;
    if (!*source->name || offset + from < 0) {
        errno = *source->name ? EINVAL : ESPIPE;
        return -1;
    }
    source->at_end = 0;
    source->back = -1;
    return source->position = offset + from;
}

off_t bw_lseek64(int descriptor, off_t offset, int whence) { return bw_lseek(descriptor, offset, whence); }

static int describe(const struct source *source, struct stat *to)
{
    *to = (struct stat){0};
    to->st_mode = *source->name ? S_IFREG | 0644 : S_IFIFO | 0600;
    to->st_nlink = 1;
    to->st_blksize = 4096;
    to->st_ino = 1000 + (source - bwp_sources);
    if (*source->name)
        to->st_size = *source->length;
    return 0;
}

int bw_fstat(int descriptor, struct stat *to)
{
    struct source *source = bwp_source_of_descriptor(descriptor);
    if (source)
        return describe(source, to);
    if (descriptor >= BW_FIRST_OWN_DESCRIPTOR)
        return fstat(descriptor, to);
    *to = (struct stat){.st_mode = S_IFIFO | 0600, .st_nlink = 1, .st_blksize = 4096, .st_ino = 900 + descriptor};
    return 0;
}

int bw_stat(const char *name, struct stat *to)
{
    struct source *source = bwp_source_of_name(name);
    return source ? describe(source, to) : stat(name, to);
}

int bw_lstat(const char *name, struct stat *to)
{
    struct source *source = bwp_source_of_name(name);
    return source ? describe(source, to) : lstat(name, to);
}

int bw_fstatat(int folder, const char *name, struct stat *to, int flags)
{
    struct source *source = folder == AT_FDCWD ? bwp_source_of_name(name) : NULL;
    return source ? describe(source, to) : fstatat(folder, name, to, flags);
}

int bw_fstat64(int descriptor, struct stat *to) { return bw_fstat(descriptor, to); }
int bw_stat64(const char *name, struct stat *to) { return bw_stat(name, to); }
int bw_lstat64(const char *name, struct stat *to) { return bw_lstat(name, to); }
int bw_fstatat64(int folder, const char *name, struct stat *to, int flags)
{
    return bw_fstatat(folder, name, to, flags);
}

int bw_access(const char *name, int how)
{
    struct source *source = bwp_source_of_name(name);
    if (!source)
        return access(name, how);
    if (how & (W_OK | X_OK)) {
        errno = EACCES;
        return -1;
    }
    return 0;
}

int bw_isatty(int descriptor)
{
    errno = descriptor >= 0 ? ENOTTY : EBADF;
    return 0;
}

int bw_ioctl(int descriptor, unsigned long request, ...)
{
    (void)request;
    errno = descriptor >= 0 ? ENOTTY : EBADF;
    return -1;
}

int bw_fcntl(int descriptor, int command, ...)
{
    va_list rest;
    va_start(rest, command);
    long argument = va_arg(rest, long);
    va_end(rest);
    return descriptor < BW_FIRST_OWN_DESCRIPTOR ? 0 : fcntl(descriptor, command, argument);
}

int bw_fcntl64(int descriptor, int command, ...)
{
    va_list rest;
    va_start(rest, command);
    long argument = va_arg(rest, long);
    va_end(rest);
    return bw_fcntl(descriptor, command, argument);
}

int bw_posix_fadvise(int descriptor, off_t from, off_t length, int advice)
{
    return (void)descriptor, (void)from, (void)length, (void)advice, 0;
}

int bw_posix_fadvise64(int descriptor, off_t from, off_t length, int advice)
{
    return (void)descriptor, (void)from, (void)length, (void)advice, 0;
}
