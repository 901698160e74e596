/*
 * Reading of streams: of the sources of a whole program (files.c), of streams in memory that are inputs of a function
 * (memory.c), and of all others by the library.
 */
#include "program.h"

int bw_fgetc(FILE *stream)
{
    struct source *source = bwp_source_of_stream(stream);
    return source ? bwp_take(source) : bwp_is_silent(stream) ? EOF : fgetc(stream);
}

int bw_ungetc(int c, FILE *stream)
{
    struct source *source = bwp_source_of_stream(stream);
    if (!source)
        return bwp_is_silent(stream) ? EOF : ungetc(c, stream);
    return c == EOF ? EOF : bwp_put_back(source, (unsigned char)c);
}

char *bw_fgets(char *line, int most, FILE *stream)
{
    struct source *source = bwp_source_of_stream(stream);
    if (!source)
        return bwp_is_silent(stream) ? NULL : fgets(line, most, stream);
    int n = 0;
    while (n + 1 < most) {
        int c = bwp_take(source);
        if (c == EOF)
            break;
        line[n++] = c;
        if (c == '\n')
            break;
    }
    if (n == 0 && most != 1)
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
        return bwp_is_silent(stream) ? 0 : read_real(to, most, stream) / size;
    for (; n < most; n++) {
        int c = bwp_take(source);
        if (c == EOF)
            break;
        to[n] = c;
    }
    return n / size;
}

int bw_feof(FILE *stream)
{
    struct source *source = bwp_source_of_stream(stream);
    return source ? source->at_end : bwp_is_silent(stream) ? 1 : feof(stream);
}

int bw_ferror(FILE *stream)
{
    struct source *source = bwp_source_of_stream(stream);
    return source ? source->has_failed : bwp_is_silent(stream) ? 0 : ferror(stream);
}

void bw_clearerr(FILE *stream)
{
    struct source *source = bwp_source_of_stream(stream);
    if (source)
        source->at_end = source->has_failed = 0;
    else if (!bwp_is_silent(stream))
        clearerr(stream);
}

ssize_t bw_getdelim(char **line, size_t *room, int end, FILE *stream)
{
    size_t n = 0;
    if (bw_ferror(stream))
        return -1;
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

/* Other names of the same. */
int bw_getc(FILE *stream) { return bw_fgetc(stream); }
int bw__IO_getc(FILE *stream) { return bw_fgetc(stream); }
int bw___uflow(FILE *stream) { return bw_fgetc(stream); }
int bw_getc_unlocked(FILE *stream) { return bw_fgetc(stream); }
int bw_fgetc_unlocked(FILE *stream) { return bw_fgetc(stream); }
int bw_feof_unlocked(FILE *stream) { return bw_feof(stream); }
int bw_ferror_unlocked(FILE *stream) { return bw_ferror(stream); }
void bw_clearerr_unlocked(FILE *stream) { bw_clearerr(stream); }
char *bw_fgets_unlocked(char *line, int most, FILE *stream) { return bw_fgets(line, most, stream); }
size_t bw_fread_unlocked(void *buffer, size_t size, size_t count, FILE *stream)
{
    return bw_fread(buffer, size, count, stream);
}
ssize_t bw___getdelim(char **line, size_t *room, int end, FILE *stream) { return bw_getdelim(line, room, end, stream); }
ssize_t bw_getline(char **line, size_t *room, FILE *stream) { return bw_getdelim(line, room, '\n', stream); }

#ifndef BW_UNIT
int bw_getchar(void) { return bw_fgetc(stdin); }
int bw_getchar_unlocked(void) { return bw_fgetc(stdin); }

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
#endif
