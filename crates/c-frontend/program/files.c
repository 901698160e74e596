/* System calls on our sources. */
#include "program.h"
#include <fcntl.h>
#include <poll.h>
#include <sys/select.h>
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
    int is_input = !strcmp(name, "/dev/stdin");
    for (struct source *s = bwp_sources; s->name; s++) {
        const char *a = s->name, *b = name;
        while (*a && *a == *b)
            a++, b++;
        if (*s->name ? !*a && !*b && !s->is_gone : is_input)
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

/* The next byte, left where it is. */
int bwp_peek(struct source *source)
{
    int c = bwp_take(source);
    if (c != EOF)
        source->back = c;
    return c;
}

/* Lets a byte be the next one; there is room for one. */
int bwp_put_back(struct source *source, int c)
{
    if (source->back >= 0)
        return EOF;
    source->at_end = 0;
    return source->back = c;
}

/* How many bytes were taken. */
size_t bwp_position(const struct source *source) { return source->position - (source->back >= 0); }

static int open_source(struct source *source, int flags)
{
    if ((flags & O_ACCMODE) != O_RDONLY) {
        errno = EACCES;
        return -1;
    }
    if (!*source->name)
        return source->descriptor;
    source->is_open = 1;
    source->position = 0;
    source->at_end = 0;
    source->back = -1;
    return source->descriptor;
}

/* Brings a descriptor where those of the program are. */
int bwp_lift(int low)
{
    if (low < 0 || low >= BW_FIRST_OWN_DESCRIPTOR)
        return low;
    int high = fcntl(low, F_DUPFD_CLOEXEC, BW_FIRST_OWN_DESCRIPTOR);
    close(low);
    return high;
}

/* Files of the machine can be read, those of the run can be made and changed. */
static int open_other(const char *name, int flags, int mode)
{
    if (!strcmp(name, "/dev/stdin"))
        return 0;
    if (!strcmp(name, "/dev/stdout"))
        return 1;
    if (!strcmp(name, "/dev/stderr"))
        return 2;
    /* What the kernel says about this process is about ours, and differs from run to run. */
    if (!strncmp(name, "/proc/", 6)) {
        errno = ENOENT;
        return -1;
    }
    int reads = (flags & O_ACCMODE) == O_RDONLY && !(flags & (O_CREAT | O_TRUNC));
    int is_real = !strncmp(name, "/dev/", 5) || (reads && !bwp_made_of_name(name));
    return is_real ? bwp_lift(open(name, flags, mode)) : bwp_open_made(name, flags, mode);
}

static int mode_of(int flags, va_list *rest) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(*rest, int) : 0; }

int bw_open(const char *name, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    int mode = mode_of(flags, &rest);
    va_end(rest);
    struct source *source = bwp_source_of_name(name);
    return source ? open_source(source, flags) : open_other(name, flags, mode);
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
    if (folder == AT_FDCWD || name[0] == '/')
        return bw_open(name, flags, mode);
    return bwp_lift(openat(folder, name, flags, mode));
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

/* The kernel does not write to pages that are watched; we do. Less than what was asked for is always allowed. */
static ssize_t read_real(int descriptor, void *buffer, size_t most)
{
    char page[4096];
    ssize_t n = read(descriptor, page, most < sizeof page ? most : sizeof page);
    if (n > 0)
        memcpy(buffer, page, n);
    return n;
}

ssize_t bw_read(int descriptor, void *buffer, size_t most)
{
    struct source *source = bwp_source_of_descriptor(descriptor);
    if (!source) {
        if (descriptor >= BW_FIRST_OWN_DESCRIPTOR)
            return read_real(descriptor, buffer, most);
        errno = EBADF;
        return descriptor == 0 ? 0 : -1;
    }
    size_t n = 0;
    for (unsigned char *to = buffer; n < most && source->position < *source->length; n++)
        to[n] = source->bytes[source->position++];
    return n;
}

ssize_t bw_pread(int descriptor, void *buffer, size_t most, off_t offset)
{
    struct source *source = bwp_source_of_descriptor(descriptor);
    if (!source) {
        off_t before = lseek(descriptor, 0, SEEK_CUR);
        if (before < 0 || lseek(descriptor, offset, SEEK_SET) < 0)
            return -1;
        ssize_t n = read_real(descriptor, buffer, most);
        lseek(descriptor, before, SEEK_SET);
        return n;
    }
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
    if (!source && descriptor < BW_FIRST_OWN_DESCRIPTOR) {
        errno = descriptor >= 0 && descriptor <= 2 ? ESPIPE : EBADF;
        return -1;
    }
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

/* The real answer, through memory that the kernel may write to. */
static int told(int result, const struct stat *from, struct stat *to)
{
    if (result == 0)
        *to = *from;
    return result;
}

static int describe_made(const struct made *made, struct stat *to)
{
    struct stat real = {.st_mode = S_IFDIR | 0755, .st_nlink = 2, .st_blksize = 4096};
    if (made->descriptor >= 0) {
        fstat(made->descriptor, &real);
        real.st_mode = S_IFREG | 0644;
        real.st_nlink = 1;
    }
    real.st_dev = 1;
    real.st_ino = 2000 + made->descriptor;
    *to = real;
    return 0;
}

int bw_fstat(int descriptor, struct stat *to)
{
    struct stat real;
    struct source *source = bwp_source_of_descriptor(descriptor);
    if (source)
        return describe(source, to);
    if (descriptor >= BW_FIRST_OWN_DESCRIPTOR)
        return told(fstat(descriptor, &real), &real, to);
    if (descriptor < 0 || descriptor > 2) {
        errno = EBADF;
        return -1;
    }
    *to = (struct stat){.st_mode = S_IFIFO | 0600, .st_nlink = 1, .st_blksize = 4096, .st_ino = 900 + descriptor};
    return 0;
}

int bw_fstatat(int folder, const char *name, struct stat *to, int flags)
{
    struct stat real;
    if (!*name && (flags & AT_EMPTY_PATH))
        return bw_fstat(folder, to);
    int is_here = folder == AT_FDCWD || name[0] == '/';
    struct source *source = is_here ? bwp_source_of_name(name) : NULL;
    struct made *made = is_here ? bwp_made_of_name(name) : NULL;
    if (source)
        return describe(source, to);
    return made ? describe_made(made, to) : told(fstatat(folder, name, &real, flags), &real, to);
}

int bw_stat(const char *name, struct stat *to) { return bw_fstatat(AT_FDCWD, name, to, 0); }
int bw_lstat(const char *name, struct stat *to) { return bw_fstatat(AT_FDCWD, name, to, AT_SYMLINK_NOFOLLOW); }

int bw_fstat64(int descriptor, struct stat *to) { return bw_fstat(descriptor, to); }
int bw_stat64(const char *name, struct stat *to) { return bw_stat(name, to); }
int bw_lstat64(const char *name, struct stat *to) { return bw_lstat(name, to); }
int bw_fstatat64(int folder, const char *name, struct stat *to, int flags)
{
    return bw_fstatat(folder, name, to, flags);
}

int bw_access(const char *name, int how)
{
    struct made *made = bwp_made_of_name(name);
    if (!made && !bwp_source_of_name(name))
        return access(name, how);
    if (made ? made->descriptor >= 0 && (how & X_OK) : how & (W_OK | X_OK)) {
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

static int duplicate(int descriptor, int lowest)
{
    if (bwp_source_of_descriptor(descriptor)) {
        errno = EMFILE;
        return -1;
    }
    if (lowest < BW_FIRST_OWN_DESCRIPTOR)
        lowest = BW_FIRST_OWN_DESCRIPTOR;
    return fcntl(descriptor, F_DUPFD_CLOEXEC, lowest);
}

int bw_dup(int descriptor) { return duplicate(descriptor, 0); }

int bw_fcntl(int descriptor, int command, ...)
{
    va_list rest;
    va_start(rest, command);
    long argument = va_arg(rest, long);
    va_end(rest);
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
        return duplicate(descriptor, argument);
    if (descriptor >= BW_FIRST_OWN_DESCRIPTOR)
        return fcntl(descriptor, command, argument);
    if ((descriptor < 0 || descriptor > 2) && !bwp_source_of_descriptor(descriptor)) {
        errno = EBADF;
        return -1;
    }
    return command == F_GETFL && (descriptor == 1 || descriptor == 2) ? O_WRONLY : 0;
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

/* Everything is ready: nobody else is there to wait for. */
int bw_poll(struct pollfd *list, nfds_t count, int timeout)
{
    int ready = 0;
    (void)timeout;
    for (nfds_t i = 0; i < count; i++) {
        list[i].revents = list[i].fd < 0 ? 0 : list[i].events & (POLLIN | POLLOUT);
        ready += list[i].revents != 0;
    }
    return ready;
}

int bw_select(int count, fd_set *in, fd_set *out, fd_set *bad, struct timeval *time)
{
    int ready = 0;
    (void)time;
    if (bad)
        FD_ZERO(bad);
    for (int i = 0; i < count && i < FD_SETSIZE; i++)
        ready += (in && FD_ISSET(i, in)) + (out && FD_ISSET(i, out));
    return ready;
}

int bw_pipe2(int ends[2], int flags)
{
    int low[2];
    if (pipe2(low, flags) < 0)
        return -1;
    ends[0] = bwp_lift(low[0]);
    ends[1] = bwp_lift(low[1]);
    return 0;
}

int bw_pipe(int ends[2]) { return bw_pipe2(ends, 0); }

/* Maps are memory of the run; what is written to them does not reach the file. */
void *bw_mmap(void *at, size_t length, int protection, int flags, int descriptor, off_t offset)
{
    int is_file = !(flags & MAP_ANONYMOUS);
    if (flags & MAP_FIXED || length == 0 || length > (size_t)1 << 30 || offset < 0 ||
        (is_file && flags & MAP_SHARED && protection & PROT_WRITE)) {
        errno = length ? ENODEV : EINVAL;
        return MAP_FAILED;
    }
    (void)at;
    unsigned char *memory = aligned_alloc(4096, (length + 4095) / 4096 * 4096);
    if (!memory) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    memset(memory, 0, length);
    struct source *source = is_file ? bwp_source_of_descriptor(descriptor) : NULL;
    if (source && *source->name) {
        for (size_t i = 0; i < length && offset + i < *source->length; i++)
            memory[i] = source->bytes[offset + i];
    } else if (is_file) {
        if (descriptor < BW_FIRST_OWN_DESCRIPTOR) {
            free(memory);
            errno = ENODEV;
            return MAP_FAILED;
        }
        for (size_t n = 0; n < length;) {
            ssize_t more = bw_pread(descriptor, memory + n, length - n, offset + n);
            if (more <= 0)
                break;
            n += more;
        }
    }
    return memory;
}

/* The memory goes with the run. */
int bw_munmap(void *at, size_t length) { return (void)at, (void)length, 0; }
int bw_mprotect(void *at, size_t length, int protection) { return (void)at, (void)length, (void)protection, 0; }
int bw_madvise(void *at, size_t length, int advice) { return (void)at, (void)length, (void)advice, 0; }
/* The layout of the process is not the program's. */
int bw_mincore(void *at, size_t length, unsigned char *pages)
{
    (void)at, (void)length, (void)pages;
    errno = ENOSYS;
    return -1;
}
int bw_msync(void *at, size_t length, int flags) { return (void)at, (void)length, (void)flags, 0; }
void *bw_mremap(void *at, size_t old, size_t new, int flags, ...)
{
    if (new <= old)
        return at;
    if (!(flags & MREMAP_MAYMOVE)) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    void *larger = bw_mmap(NULL, new, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return larger == MAP_FAILED ? larger : memcpy(larger, at, old);
}

void *bw_mmap64(void *at, size_t length, int protection, int flags, int descriptor, off_t offset)
{
    return bw_mmap(at, length, protection, flags, descriptor, offset);
}
ssize_t bw_pread64(int descriptor, void *buffer, size_t most, off_t offset)
{
    return bw_pread(descriptor, buffer, most, offset);
}
