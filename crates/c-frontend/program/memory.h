/*
 * A stream in memory. An input has one where the library has its FILE. The first members below the handle are told by
 * the input, or looked at after the run; all others are zero at first.
 */
#define BW_CONTENT 256

struct source {
    FILE handle; /* zero, as no stream of the library is */
    unsigned length;
    _Bool is_writable; /* and else readable */
    char content[BW_CONTENT]; /* characters, which readers know better than numbers */
    unsigned position;
    _Bool is_closed;

    _Bool is_ready, is_both, appends, is_lost, at_end, has_failed;
    char *bytes; /* of somebody else, instead of the content */
    unsigned room;
    int back; /* what ungetc put back, plus one */
};
