/*
 * Begins the program. Written for each run by branchwise: BW_SOURCES, BW_ARGUMENTS and BW_ENTRY say what is input.
 */
#include "program.h"
#include <stdio_ext.h>
#include <unistd.h>

#define SOURCE(number, variable, name, size)                                                                           \
    static unsigned char variable##bytes[size];                                                                       \
    static unsigned variable##length;
#define SYMBOLIC(number, size) static char arg##number[(size) + 1];
#define FIXED(number, text)
BW_SOURCES
BW_ARGUMENTS
#undef SOURCE
#undef SYMBOLIC
#undef FIXED

#define SOURCE(number, variable, text, room)                                                                           \
    {.name = text, .bytes = variable##bytes, .length = &variable##length, .size = room,                              \
     .descriptor = *text ? BW_FIRST_SOURCE_DESCRIPTOR + number : 0, .is_open = !*text, .back = -1},
struct source bwp_sources[] = {BW_SOURCES{0}};
#undef SOURCE

#define SOURCE(number, variable, name, size)                                                                           \
    if (variable##length > size)                                                                                      \
        variable##length = size;
#define SYMBOLIC(number, size) arg##number[size] = 0;
#define FIXED(number, text)
static void bound(void)
{
    BW_SOURCES
    BW_ARGUMENTS
}
#undef SOURCE
#undef SYMBOLIC
#undef FIXED

extern char bwp_name[];

/* Streams that the last run left open; their descriptors are about to be closed. Streams in memory have none, and
 * closing them would write where the last run wanted the result. */
static void close_streams(void)
{
    extern FILE *_IO_list_all;
    for (FILE *stream = _IO_list_all, *next; stream; stream = next) {
        next = stream->_chain;
        if (stream == stdin || stream == stdout || stream == stderr || stream->_fileno < BW_FIRST_OWN_DESCRIPTOR)
            continue;
        __fpurge(stream);
        fclose(stream);
    }
}

#define SYMBOLIC(number, size) arg##number,
#define FIXED(number, text) (char[]){text},
#define COUNT sizeof words / sizeof *words
void bwp_start(void)
{
    bound();
    close_streams();
    close_range(BW_FIRST_OWN_DESCRIPTOR, ~0u, 0);
#ifdef BW_FUZZER
    extern int LLVMFuzzerTestOneInput(const unsigned char *, size_t);
    /* Counted, so that the size of the block is a number and not a question. */
    size_t size = 0;
    while (size < data_length)
        size++;
    unsigned char *copy = malloc(size ? size : 1);
    for (size_t i = 0; i < size; i++)
        copy[i] = data_bytes[i];
    LLVMFuzzerTestOneInput(copy, size);
    bw_exit(0);
#else
    extern int program_main(int, char **, char **) __asm__("bwp_main");
    extern char **bw_environ;
    char *words[] = {bwp_name, BW_ARGUMENTS NULL};
    bw_exit(program_main(COUNT - 1, words, bw_environ));
#endif
}
