/*
 * Does the same to a stream of fmemopen() and to one of ours, at random. Every difference is printed, unless ours said
 * that it does not know.
 */
#define BW_UNIT
#include "../../program/memory.c"

int bw_environment;

static uint64_t state = 88172645463325252u;
static unsigned below(unsigned n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 33) % n;
}

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define MOST 96

static const char *const PIECES[] = {"1",  "23", "-", "+",  "0", "0x", "0x1f", "9999999999", "99999999999999999999",
                                     " ",  "\n", ";", ",",  "a", "ab", "key=", "\t",         "1.5",
                                     "1e", "\0", "%", "in", "i", ".",  "e1",   "-0",         "nan"};
static const char *const FORMATS[] = {"%d",    "%d %d", "%d,%d", " %d;", "%i",    "%x",     "%u",   "%2d",     "%*d %d", "%ld",
                                      "%hd",   "%hhd",  "%s",    "%3s",  "%c",    "%2c",    " %c",  "%[a-c]",  "%[^;]",  "key=%d",
                                      "%d%n",  "%%",    "%lf",   "%f",   "%4lf",  "%o",     "%*s%d", "%[]a]",  "a%d",    "%lu",
                                      "%d-%d", "%1d%1d", "%lld", "%i,%i"};
static const char *const MODES[] = {"r", "w", "r+", "w+", "a", "a+"};

/* What a call gave: results, and what it wrote. */
struct seen {
    long result;
    int error;
    char bytes[2][2 * MOST];
};

static char *content[2];
static size_t length;

/* One call, by number, of both. */
#define CALL(name, ...) (is_ours ? bw_##name(__VA_ARGS__) : name(__VA_ARGS__))
static struct seen call(int is_ours, FILE *stream, unsigned what, unsigned a, unsigned b)
{
    struct seen seen = {0};
    char *line = NULL;
    size_t room = 0;
    long n;
    errno = 0;
    switch (what) {
    case 0: seen.result = CALL(fgetc, stream); break;
    case 1: seen.result = CALL(fgets, seen.bytes[0], a % 12, stream) != NULL; break;
    case 2: seen.result = CALL(fread, seen.bytes[0], 1 + a % 5, b % 7, stream); break;
    case 3: seen.result = CALL(ungetc, (int)(a % 257) - 1, stream); break;
    case 4: seen.result = CALL(feof, stream) != 0; break;
    case 5: seen.result = CALL(ferror, stream) != 0; break;
    case 6: seen.result = CALL(fseek, stream, (long)(a % 40) - 12, b % 3); break;
    case 7: seen.result = CALL(ftell, stream); break;
    case 8: CALL(rewind, stream); break;
    case 9: CALL(clearerr, stream); break;
    case 10: seen.result = CALL(fputc, a % 256, stream); break;
    case 11: seen.result = CALL(fputs, PIECES[a % COUNT(PIECES)], stream) >= 0; break;
    case 12: seen.result = CALL(fwrite, "abcdef", 1 + a % 2, b % 4, stream); break;
    case 13: seen.result = CALL(fprintf, stream, "%d,%s", (int)b, "x"); break;
    case 14: seen.result = CALL(fflush, stream); break;
    case 15: seen.result = CALL(fileno, stream); break;
    case 16:
        seen.result = n = CALL(getline, &line, &room, stream);
        if (n > 0)
            memcpy(seen.bytes[0], line, n < MOST ? n : MOST);
        free(line);
        break;
    default:
        seen.result = CALL(fscanf, stream, FORMATS[a % COUNT(FORMATS)], seen.bytes[0], seen.bytes[1]);
        break;
    }
    seen.error = errno == ERANGE ? 0 : errno;
    return seen;
}

static int differs(const struct seen *a, const struct seen *b)
{
    return a->result != b->result || a->error != b->error || memcmp(a->bytes, b->bytes, sizeof a->bytes);
}

static void fill(void)
{
    length = 0;
    for (unsigned left = below(12); left > 0; left--) {
        const char *piece = PIECES[below(COUNT(PIECES))];
        size_t n = strlen(piece) + (*piece == 0);
        if (length + n > MOST)
            break;
        memcpy(content[0] + length, piece, n);
        length += n;
    }
    memcpy(content[1], content[0], MOST);
}

/* A stream that is an input, or one that is opened. */
static FILE *open_ours(struct source *input, const char *mode)
{
    if (mode[1])
        return bw_fmemopen(*mode == 'r' ? content[1] : NULL, *mode == 'r' ? length : MOST_WRITTEN, mode);
    *input = (struct source){.length = length, .is_writable = *mode != 'r'};
    memcpy(input->content, content[1], length);
    return *mode == 'a' ? bw_fmemopen(NULL, MOST_WRITTEN, mode) : &input->handle;
}

int main(void)
{
    int differences = 0, known = 0;
    content[0] = malloc(MOST);
    content[1] = malloc(MOST);
    for (int round = 0; round < 200000 && differences < 20; round++) {
        static struct source input;
        const char *mode = MODES[below(4) ? 0 : below(COUNT(MODES))];
        fill();
        bw_environment = 0;
        opened = 0;
        memset(bwp_opened, 0, sizeof bwp_opened);
        FILE *theirs = fmemopen(*mode == 'r' ? content[0] : NULL, *mode == 'r' ? length : MOST_WRITTEN, mode);
        FILE *ours = open_ours(&input, mode);
        char calls[400] = "";
        for (int left = 1 + below(8); left > 0; left--) {
            unsigned what = below(3) ? below(2) ? 17 : below(8) : below(17), a = below(1000), b = below(1000);
            /* The library's own stream breaks when something is put back into one that is written. */
            if (what == 3 && strcmp(mode, "r"))
                continue;
            /* Between reading and writing there has to be a seek. */
            if (mode[1] && (what < 4 || what > 9))
                call(0, theirs, 6, 12, 1), call(1, ours, 6, 12, 1);
            struct seen expected = call(0, theirs, what, a, b), seen = call(1, ours, what, a, b);
            sprintf(calls + strlen(calls), " %u(%u, %u)", what, a, b);
            if (bw_environment)
                break;
            known++;
            if (differs(&expected, &seen)) {
                differences++;
                printf("mode %s, \"%.*s\", calls%s [%s]: %ld %d instead of %ld %d\n", mode, (int)length, content[0],
                       calls, what == 17 ? FORMATS[a % COUNT(FORMATS)] : "", seen.result, seen.error, expected.result,
                       expected.error);
                break;
            }
        }
        fclose(theirs);
    }
    if (known < 100000)
        printf("only %d calls are known\n", known), differences++;
    return differences != 0;
}
