/*
 * Streams in memory, for functions that are given one or open one. In tests they come from fmemopen(), and what is here
 * does as that does. What it does not know how to do makes the run no test.
 */
#include "program.h"

/* Bytes that can be written to a stream that is an input: tests have room for them and a zero. */
#define MOST_WRITTEN 4096

static struct source bwp_opened[16];
static unsigned opened;

extern int bw_environment;
void bwp_give_up(void) { bw_environment = 1; }

/* What is needed before the first use. */
static void prepare(struct source *source)
{
    source->is_ready = 1;
    source->room = source->is_writable ? MOST_WRITTEN : BW_CONTENT;
    if (source->is_writable)
        source->length = 0;
}

/* NULL for streams of the library, which begin with its magic number. */
struct source *bwp_source_of_stream(FILE *stream)
{
    struct source *source = (struct source *)stream;
    if ((stream->_flags & 0xffff0000) == 0xfbad0000)
        return NULL;
    if (source->is_closed)
        __builtin_trap();
    if (!source->is_ready)
        prepare(source);
    return source;
}

int bwp_is_silent(FILE *stream) { return (void)stream, 0; }

static char *bytes_of(struct source *source) { return source->bytes ? source->bytes : source->content; }
int bwp_can_read(const struct source *source) { return source->is_both || !source->is_writable; }
static int can_write(const struct source *source) { return source->is_both || source->is_writable; }

static int refuse(struct source *source)
{
    source->has_failed = 1;
    errno = EBADF;
    return EOF;
}

/* Two questions, of which the second is none about the input. */
static int is_at_end(const struct source *source)
{
    return source->position >= source->length || source->position >= source->room;
}

int bwp_peek(struct source *source)
{
    if (source->is_lost)
        bwp_give_up();
    if (source->back)
        return source->back - 1;
    if (!bwp_can_read(source))
        return refuse(source);
    if (is_at_end(source)) {
        source->at_end = 1;
        return EOF;
    }
    return (unsigned char)bytes_of(source)[source->position];
}

int bwp_take(struct source *source)
{
    int c = bwp_peek(source);
    if (c != EOF) {
        source->position++;
        source->back = 0;
    }
    return c;
}

int bwp_put_back(struct source *source, int c)
{
    if (source->back || source->position == 0 || can_write(source)) {
        bwp_give_up();
        return EOF;
    }
    source->at_end = 0;
    source->position--;
    source->back = c + 1;
    return c;
}

size_t bwp_position(const struct source *source) { return source->position; }

FILE *bw_fmemopen(void *memory, size_t size, const char *mode)
{
    if (opened == sizeof bwp_opened / sizeof *bwp_opened) {
        bwp_give_up();
        return NULL;
    }
    struct source *source = &bwp_opened[opened++];
    source->is_ready = 1;
    source->is_writable = *mode != 'r';
    source->is_both = mode[1] == '+' || (mode[1] && mode[2] == '+');
    source->appends = *mode == 'a';
    source->bytes = memory;
    source->room = size;
    if (*mode == 'r')
        source->length = size;
    else if (memory)
        bwp_give_up();
    return &source->handle;
}

int bw_fclose(FILE *stream)
{
    struct source *source = bwp_source_of_stream(stream);
    if (!source)
        return fclose(stream);
    source->is_closed = 1;
    return 0;
}

int bw_fileno(FILE *stream)
{
    if (!bwp_source_of_stream(stream))
        return fileno(stream);
    errno = EBADF;
    return -1;
}

int bw_fseeko(FILE *stream, off_t offset, int whence)
{
    struct source *source = bwp_source_of_stream(stream);
    if (!source)
        return fseeko(stream, offset, whence);
    if (source->is_lost && whence == SEEK_CUR)
        bwp_give_up();
    off_t length = source->length < source->room ? source->length : source->room;
    off_t most = can_write(source) ? source->room : length;
    off_t to = offset + (whence == SEEK_SET ? 0 : whence == SEEK_CUR ? (off_t)source->position : length);
    /* Nobody says where the stream stands afterwards. */
    source->is_lost = to < 0 || to > most;
    source->position = source->is_lost ? 0 : to;
    source->back = 0;
    if (source->is_lost) {
        errno = EINVAL;
        return -1;
    }
    source->at_end = 0;
    return 0;
}

off_t bw_ftello(FILE *stream)
{
    struct source *source = bwp_source_of_stream(stream);
    if (!source)
        return ftello(stream);
    if (source->is_lost)
        bwp_give_up();
    return source->position;
}

int bw_fgetpos(FILE *stream, fpos_t *position)
{
    struct source *source = bwp_source_of_stream(stream);
    if (!source)
        return fgetpos(stream, position);
    position->__pos = source->position;
    return 0;
}

int bw_fsetpos(FILE *stream, const fpos_t *position)
{
    return bwp_source_of_stream(stream) ? bw_fseeko(stream, position->__pos, SEEK_SET) : fsetpos(stream, position);
}

void bw_rewind(FILE *stream)
{
    struct source *source = bwp_source_of_stream(stream);
    if (!source) {
        rewind(stream);
        return;
    }
    source->position = source->is_lost = 0;
    source->at_end = source->has_failed = source->back = 0;
}

int bw_fflush(FILE *stream)
{
    struct source *source = stream ? bwp_source_of_stream(stream) : NULL;
    if (!source)
        return fflush(stream);
    if (source->back)
        bwp_give_up();
    return 0;
}

int bw_setvbuf(FILE *stream, char *buffer, int mode, size_t size)
{
    return bwp_source_of_stream(stream) ? 0 : setvbuf(stream, buffer, mode, size);
}

/* Writes; whether it could. */
static int put(struct source *source, const char *from, size_t n)
{
    if (!can_write(source))
        return refuse(source) != EOF;
    if (source->appends)
        source->position = source->length;
    if (source->back || source->is_lost || (source->is_both && source->position > source->length) || n >= source->room - source->position)
        bwp_give_up();
    unsigned kept = source->bytes ? source->room : BW_CONTENT;
    for (size_t i = 0; i < n; i++, source->position++) {
        if (source->position < kept)
            bytes_of(source)[source->position] = from[i];
        else if (source->is_both)
            bwp_give_up();
    }
    if (source->position > source->length)
        source->length = source->position;
    return 1;
}

int bw_fputc(int c, FILE *stream)
{
    struct source *source = bwp_source_of_stream(stream);
    char byte = c;
    if (!source)
        return fputc(c, stream);
    return put(source, &byte, 1) ? (unsigned char)c : EOF;
}

int bw_fputs(const char *text, FILE *stream)
{
    struct source *source = bwp_source_of_stream(stream);
    if (!source)
        return fputs(text, stream);
    return !*text || put(source, text, strlen(text)) ? 1 : EOF;
}

size_t bw_fwrite(const void *from, size_t size, size_t count, FILE *stream)
{
    struct source *source = bwp_source_of_stream(stream);
    if (!source)
        return fwrite(from, size, count, stream);
    return size && count && put(source, from, size * count) ? count : 0;
}

int bw_vfprintf(FILE *stream, const char *format, va_list rest)
{
    struct source *source = bwp_source_of_stream(stream);
    char text[2 * BW_CONTENT];
    if (!source)
        return vfprintf(stream, format, rest);
    int n = vsnprintf(text, sizeof text, format, rest);
    if (n >= (int)sizeof text)
        bwp_give_up();
    return n >= 0 && put(source, text, n < (int)sizeof text ? n : (int)sizeof text - 1) ? n : -1;
}

int bw_fprintf(FILE *stream, const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    int n = bw_vfprintf(stream, format, rest);
    va_end(rest);
    return n;
}

/* One thread runs here. */
void bw_flockfile(FILE *stream) { bwp_source_of_stream(stream) ? (void)0 : flockfile(stream); }
void bw_funlockfile(FILE *stream) { bwp_source_of_stream(stream) ? (void)0 : funlockfile(stream); }
int bw_ftrylockfile(FILE *stream) { return bwp_source_of_stream(stream) ? 0 : ftrylockfile(stream); }

FILE *bw_freopen(const char *name, const char *mode, FILE *stream)
{
    if (!bwp_source_of_stream(stream))
        return freopen(name, mode, stream);
    bwp_give_up();
    return NULL;
}

/* Other names of the same. */
int bw_fileno_unlocked(FILE *stream) { return bw_fileno(stream); }
int bw_fflush_unlocked(FILE *stream) { return bw_fflush(stream); }
int bw_fseek(FILE *stream, long offset, int whence) { return bw_fseeko(stream, offset, whence); }
int bw_fseeko64(FILE *stream, off_t offset, int whence) { return bw_fseeko(stream, offset, whence); }
long bw_ftell(FILE *stream) { return bw_ftello(stream); }
off_t bw_ftello64(FILE *stream) { return bw_ftello(stream); }
void bw_setbuf(FILE *stream, char *buffer) { bw_setvbuf(stream, buffer, buffer ? _IOFBF : _IONBF, BUFSIZ); }
void bw_setbuffer(FILE *stream, char *buffer, size_t size) { bw_setvbuf(stream, buffer, _IOFBF, size); }
void bw_setlinebuf(FILE *stream) { bw_setvbuf(stream, NULL, _IOLBF, 0); }
int bw_putc(int c, FILE *stream) { return bw_fputc(c, stream); }
int bw__IO_putc(int c, FILE *stream) { return bw_fputc(c, stream); }
int bw_putc_unlocked(int c, FILE *stream) { return bw_fputc(c, stream); }
int bw_fputc_unlocked(int c, FILE *stream) { return bw_fputc(c, stream); }
int bw___overflow(FILE *stream, int c) { return bw_fputc(c, stream); }
int bw_fputs_unlocked(const char *text, FILE *stream) { return bw_fputs(text, stream); }
size_t bw_fwrite_unlocked(const void *from, size_t size, size_t count, FILE *stream)
{
    return bw_fwrite(from, size, count, stream);
}

#include "reading.c"
#include "scan.c"
