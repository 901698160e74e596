/* Reading of streams; output goes through the library as it is. */
#include "program.h"
#include <fcntl.h>

struct source *bwp_source_of_stream(const FILE *stream)
{
    for (struct source *s = bwp_sources; s->name; s++)
        if (stream == (*s->name ? &s->handle : stdin))
            return s;
    return NULL;
}

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

int bw_fgetc(FILE *stream)
{
    struct source *source = bwp_source_of_stream(stream);
    return source ? bwp_take(source) : stream == stdin ? EOF : fgetc(stream);
}

int bw_ungetc(int c, FILE *stream)
{
    struct source *source = bwp_source_of_stream(stream);
    if (!source)
        return stream == stdin ? EOF : ungetc(c, stream);
    if (c == EOF || source->back >= 0)
        return EOF;
    source->at_end = 0;
    return source->back = (unsigned char)c;
}

char *bw_fgets(char *line, int most, FILE *stream)
{
    struct source *source = bwp_source_of_stream(stream);
    if (!source)
        return stream == stdin ? NULL : fgets(line, most, stream);
    int n = 0;
    while (n + 1 < most) {
        int c = bwp_take(source);
        if (c == EOF)
            break;
        line[n++] = c;
        if (c == '\n')
            break;
    }
    if (n == 0)
        return NULL;
    line[n] = 0;
    return line;
}

/* The library lets the kernel write large pieces where they are wanted, which does not work for watched pages. */
static size_t read_real(unsigned char *to, size_t most, FILE *stream)
{
    char page[4096];
    size_t n = 0;
    while (n < most) {
        size_t wanted = most - n < sizeof page ? most - n : sizeof page;
        size_t more = fread(page, 1, wanted, stream);
        memcpy(to + n, page, more);
        n += more;
        if (more < wanted)
            break;
    }
    return n;
}

size_t bw_fread(void *buffer, size_t size, size_t count, FILE *stream)
{
    struct source *source = bwp_source_of_stream(stream);
    unsigned char *to = buffer;
    size_t n = 0, most;
    if (size == 0 || __builtin_mul_overflow(size, count, &most))
        return 0;
    if (!source)
        return stream == stdin ? 0 : read_real(to, most, stream) / size;
    for (; n < most; n++) {
        int c = bwp_take(source);
        if (c == EOF)
            break;
        to[n] = c;
    }
    return n / size;
}

ssize_t bw_getdelim(char **line, size_t *room, int end, FILE *stream)
{
    size_t n = 0;
    for (int c; (c = bw_fgetc(stream)) != EOF;) {
        if (!*line || n + 2 > *room) {
            size_t more = *line && *room > 60 ? 2 * *room : 120;
            char *larger = realloc(*line, more);
            if (!larger)
                return -1;
            *line = larger;
            *room = more;
        }
        (*line)[n++] = c;
        if (c == end)
            break;
    }
    if (n == 0)
        return -1;
    (*line)[n] = 0;
    return n;
}

int bw_feof(FILE *stream)
{
    struct source *source = bwp_source_of_stream(stream);
    return source ? source->at_end : stream == stdin ? 1 : feof(stream);
}

int bw_ferror(FILE *stream) { return bwp_source_of_stream(stream) || stream == stdin ? 0 : ferror(stream); }

void bw_clearerr(FILE *stream)
{
    struct source *source = bwp_source_of_stream(stream);
    if (source)
        source->at_end = 0;
    else if (stream != stdin)
        clearerr(stream);
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
int bw_getc(FILE *stream) { return bw_fgetc(stream); }
int bw__IO_getc(FILE *stream) { return bw_fgetc(stream); }
int bw___uflow(FILE *stream) { return bw_fgetc(stream); }
int bw_getc_unlocked(FILE *stream) { return bw_fgetc(stream); }
int bw_fgetc_unlocked(FILE *stream) { return bw_fgetc(stream); }
int bw_getchar(void) { return bw_fgetc(stdin); }
int bw_getchar_unlocked(void) { return bw_fgetc(stdin); }
int bw_fileno_unlocked(FILE *stream) { return bw_fileno(stream); }
int bw_feof_unlocked(FILE *stream) { return bw_feof(stream); }
int bw_ferror_unlocked(FILE *stream) { return bw_ferror(stream); }
int bw_fflush_unlocked(FILE *stream) { return bw_fflush(stream); }
void bw_clearerr_unlocked(FILE *stream) { bw_clearerr(stream); }
char *bw_fgets_unlocked(char *line, int most, FILE *stream) { return bw_fgets(line, most, stream); }
size_t bw_fread_unlocked(void *buffer, size_t size, size_t count, FILE *stream)
{
    return bw_fread(buffer, size, count, stream);
}
ssize_t bw___getdelim(char **line, size_t *room, int end, FILE *stream) { return bw_getdelim(line, room, end, stream); }
ssize_t bw_getline(char **line, size_t *room, FILE *stream) { return bw_getdelim(line, room, '\n', stream); }
int bw_fseek(FILE *stream, long offset, int whence) { return bw_fseeko(stream, offset, whence); }
int bw_fseeko64(FILE *stream, off_t offset, int whence) { return bw_fseeko(stream, offset, whence); }
long bw_ftell(FILE *stream) { return bw_ftello(stream); }
off_t bw_ftello64(FILE *stream) { return bw_ftello(stream); }
void bw_rewind(FILE *stream) { (void)(bw_fseeko(stream, 0, SEEK_SET) == 0 ? bw_clearerr(stream) : (void)0); }

char *bw_gets(char *line)
{
    size_t n = 0;
    for (int c; (c = bw_fgetc(stdin)) != EOF && c != '\n';)
        line[n++] = c;
    if (n == 0 && bw_feof(stdin))
        return NULL;
    line[n] = 0;
    return line;
}
