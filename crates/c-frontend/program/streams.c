/* Opening and moving of streams; they are read in reading.c, and output goes through the library as it is. */
#include "program.h"
#include <fcntl.h>

void bw_clearerr(FILE *stream);

struct source *bwp_source_of_stream(FILE *stream)
{
    for (struct source *s = bwp_sources; s->name; s++)
        if (stream == (*s->name ? &s->handle : stdin))
            return s;
    return NULL;
}

/* Standard input that is none of our sources is empty. */
int bwp_is_silent(FILE *stream) { return stream == stdin; }

int bwp_can_read(const struct source *source) { return (void)source, 1; }

/* What we do otherwise than the library is found out when the tests run on a plain build. */
void bwp_give_up(void) {}

static int flags_of(const char *mode)
{
    int both = mode[0] && (mode[1] == '+' || (mode[1] == 'b' && mode[2] == '+'));
    switch (mode[0]) {
    case 'w': return (both ? O_RDWR : O_WRONLY) | O_CREAT | O_TRUNC;
    case 'a': return (both ? O_RDWR : O_WRONLY) | O_CREAT | O_APPEND;
    default: return both ? O_RDWR : O_RDONLY;
    }
}

FILE *bw_fdopen(int descriptor, const char *mode)
{
    struct source *source = bwp_source_of_descriptor(descriptor);
    if (source)
        return *source->name ? &source->handle : stdin;
    return descriptor == 1 ? stdout : descriptor == 2 ? stderr : fdopen(descriptor, mode);
}

FILE *bw_fopen(const char *name, const char *mode)
{
    int descriptor = bw_open(name, flags_of(mode), 0666);
    return descriptor < 0 ? NULL : bw_fdopen(descriptor, mode);
}

FILE *bw_fopen64(const char *name, const char *mode) { return bw_fopen(name, mode); }

/* Standard streams stay as they are: they belong to the process. */
FILE *bw_freopen(const char *name, const char *mode, FILE *stream)
{
    if (!name)
        return stream;
    if (stream == stdout || stream == stderr || stream == stdin) {
        struct source *source = bwp_source_of_name(name);
        if (!source || stream != stdin) {
            errno = EACCES;
            return NULL;
        }
        return bw_fopen(name, mode);
    }
    return freopen(name, mode, stream);
}

int bw_fclose(FILE *stream)
{
    struct source *source = bwp_source_of_stream(stream);
    if (source) {
        source->is_open = 0;
        return 0;
    }
    return stream == stdout || stream == stderr || stream == stdin ? fflush(stream) : fclose(stream);
}

int bw_fileno(FILE *stream)
{
    struct source *source = bwp_source_of_stream(stream);
    return source ? source->descriptor : fileno(stream);
}

int bw_fseeko(FILE *stream, off_t offset, int whence)
{
    extern off_t bw_lseek(int, off_t, int);
    struct source *source = bwp_source_of_stream(stream);
    if (!source)
        return fseeko(stream, offset, whence);
    return bw_lseek(source->descriptor, offset, whence) < 0 ? -1 : 0;
}

off_t bw_ftello(FILE *stream)
{
    struct source *source = bwp_source_of_stream(stream);
    if (!source)
        return ftello(stream);
    if (!*source->name) {
        errno = ESPIPE;
        return -1;
    }
    return source->position - (source->back >= 0);
}

int bw_fflush(FILE *stream) { return stream && (bwp_source_of_stream(stream) || stream == stdin) ? 0 : fflush(stream); }

/* A buffer of the program must not stay with a stream of the process. */
int bw_setvbuf(FILE *stream, char *buffer, int mode, size_t size)
{
    if (bwp_source_of_stream(stream) || stream == stdout || stream == stderr || stream == stdin)
        return 0;
    return setvbuf(stream, buffer, mode, size);
}

void bw_setbuf(FILE *stream, char *buffer) { bw_setvbuf(stream, buffer, buffer ? _IOFBF : _IONBF, BUFSIZ); }
void bw_setbuffer(FILE *stream, char *buffer, size_t size) { bw_setvbuf(stream, buffer, _IOFBF, size); }
void bw_setlinebuf(FILE *stream) { bw_setvbuf(stream, NULL, _IOLBF, 0); }

/* Other names of the same. */
FILE *bw_freopen64(const char *name, const char *mode, FILE *stream) { return bw_freopen(name, mode, stream); }
int bw_fileno_unlocked(FILE *stream) { return bw_fileno(stream); }
int bw_fflush_unlocked(FILE *stream) { return bw_fflush(stream); }
int bw_fseek(FILE *stream, long offset, int whence) { return bw_fseeko(stream, offset, whence); }
int bw_fseeko64(FILE *stream, off_t offset, int whence) { return bw_fseeko(stream, offset, whence); }
long bw_ftell(FILE *stream) { return bw_ftello(stream); }
off_t bw_ftello64(FILE *stream) { return bw_ftello(stream); }
void bw_rewind(FILE *stream) { (void)(bw_fseeko(stream, 0, SEEK_SET) == 0 ? bw_clearerr(stream) : (void)0); }
