/*
 * What stands between a whole program and the machine, so that its input is ours.
 *
 * Every function bw_NAME takes the place of NAME in the program, every variable bw_NAME that of NAME; bwp_ is for names
 * that mean nothing to the program. What does not
 * concern our sources is passed on to the real function. One process runs the program many times: nothing here may leave
 * state outside of the program's own memory.
 */
#ifndef BW_PROGRAM_H
#define BW_PROGRAM_H

#define _GNU_SOURCE
#undef __OPTIMIZE__
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#ifdef BW_UNIT
#include "memory.h"
#else
/* Where input comes from: standard input or a file. */
struct source {
    const char *name; /* empty for standard input */
    unsigned char *bytes;
    unsigned *length;
    size_t size;
    size_t position;
    int descriptor;
    int is_open, at_end, has_failed;
    int back; /* what ungetc put back, or -1 */
    int is_gone; /* removed */
    FILE handle; /* its address stands for an open file */
};
#endif

/* The sources, an empty entry at the end; filled in by start.c. */
extern struct source bwp_sources[];

/* Descriptors of files that the program opens itself: above all others, so that they can be closed between runs. */
#define BW_FIRST_OWN_DESCRIPTOR 128
#define BW_FIRST_SOURCE_DESCRIPTOR 100

/* Files that the program makes live in memory, see disk.c. */
struct made {
    char *name;
    int descriptor; /* of the memory; -1 for a folder */
};

struct made *bwp_made_of_name(const char *name);
int bwp_open_made(const char *name, int flags, int mode);

/* A number that is the same in every run, but another one in workers elsewhere in memory: what is made of it is not
 * believed. For everything that differs from process to process. */
static inline unsigned bwp_elsewhere(void) { return (uintptr_t)__builtin_frame_address(0) >> 24 & 0xffff; }

struct source *bwp_source_of_descriptor(int descriptor);
struct source *bwp_source_of_stream(FILE *stream);
struct source *bwp_source_of_name(const char *name);
int bwp_is_silent(FILE *stream);
int bwp_can_read(const struct source *source);
void bwp_give_up(void);
int bwp_take(struct source *source);
int bwp_peek(struct source *source);
int bwp_put_back(struct source *source, int c);
size_t bwp_position(const struct source *source);
_Noreturn void bw_exit(int status);
int bw_open(const char *name, int flags, ...);
int bw_close(int descriptor);
off_t bw_lseek(int descriptor, off_t offset, int whence);

#endif
