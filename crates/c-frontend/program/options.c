/* getopt and getopt_long: the library's own keep state between runs and say nothing about symbolic arguments. */
#include "program.h"
#include <getopt.h>

char *bw_optarg;
int bw_optind = 1, bw_opterr = 1, bw_optopt = '?';

static char *rest;        /* what is left of a word of short options */
static int first, last;   /* words passed over: first .. last */
static int started;

static int complains;     /* unless the caller tells the options apart by itself */
static const char *dashes; /* what a long option was written with */

static void complain_of_letter(char *const *argv, const char *text, char letter)
{
    if (complains)
        fprintf(stderr, "%s: %s -- '%c'\n", argv[0], text, letter);
}

static void complain_of_name(char *const *argv, const char *before, const char *name, const char *behind)
{
    if (complains)
        fprintf(stderr, "%s: %s '%s%s'%s\n", argv[0], before, dashes, name, behind);
}

/* Brings the words passed over behind the options found since. */
static void exchange(char **argv)
{
    for (; last < bw_optind; first++, last++) {
        char *word = argv[last];
        for (int i = last; i > first; i--)
            argv[i] = argv[i - 1];
        argv[first] = word;
    }
}

static int is_option(const char *word) { return word[0] == '-' && word[1] != 0; }

static int starts_with(const char *name, const char *part, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (name[i] != part[i])
            return 0;
    return 1;
}

/* The option that the word names: exactly, or as the only one that begins so. */
static int find(const struct option *options, const char *name, size_t length, int only, int *ambiguous)
{
    int found = -1;
    *ambiguous = 0;
    for (int i = 0; options[i].name; i++) {
        if (!starts_with(options[i].name, name, length))
            continue;
        if (options[i].name[length] == 0) {
            *ambiguous = 0;
            return i;
        }
        if (found >= 0 && (only || options[found].has_arg != options[i].has_arg || options[found].flag != options[i].flag ||
                           options[found].val != options[i].val))
            *ambiguous = 1;
        found = found < 0 ? i : found;
    }
    return found;
}

static void complain_of_several(char *const *argv, const struct option *options, const char *name, size_t length)
{
    if (!complains)
        return;
    fprintf(stderr, "%s: option '%s%s' is ambiguous; possibilities:", argv[0], dashes, name);
    for (int i = 0; options[i].name; i++)
        if (starts_with(options[i].name, name, length))
            fprintf(stderr, " '%s%s'", dashes, options[i].name);
    fputc('\n', stderr);
}

static int long_option(int argc, char *const *argv, const char *shorts, const struct option *options, int *index,
                       char *name, int only)
{
    size_t length = 0;
    int ambiguous;
    while (name[length] && name[length] != '=')
        length++;
    int found = find(options, name, length, only, &ambiguous);
    bw_optind++;
    rest = NULL;
    if (ambiguous || found < 0) {
        if (ambiguous)
            complain_of_several(argv, options, name, length);
        else
            complain_of_name(argv, "unrecognized option", name, "");
        bw_optopt = 0;
        return '?';
    }
    const struct option *option = &options[found];
    bw_optarg = NULL;
    if (name[length] == '=') {
        if (option->has_arg == no_argument) {
            complain_of_name(argv, "option", option->name, " doesn't allow an argument");
            bw_optopt = option->val;
            return '?';
        }
        bw_optarg = name + length + 1;
    } else if (option->has_arg == required_argument) {
        if (bw_optind >= argc) {
            complain_of_name(argv, "option", option->name, " requires an argument");
            bw_optopt = option->val;
            return shorts[0] == ':' ? ':' : '?';
        }
        bw_optarg = argv[bw_optind++];
    }
    if (index)
        *index = found;
    if (option->flag) {
        *option->flag = option->val;
        return 0;
    }
    return option->val;
}

static int short_option(int argc, char *const *argv, const char *shorts)
{
    char c = *rest++;
    const char *entry = shorts;
    while (*entry && (*entry != c || c == ':' || c == ';'))
        entry++;
    if (!*rest)
        bw_optind++;
    if (!*entry) {
        complain_of_letter(argv, "invalid option", c);
        bw_optopt = c;
        return '?';
    }
    if (entry[1] != ':')
        return c;
    bw_optarg = NULL;
    if (*rest) {
        bw_optarg = rest;
        bw_optind++;
    } else if (entry[2] != ':') {
        if (bw_optind >= argc) {
            complain_of_letter(argv, "option requires an argument", c);
            bw_optopt = c;
            rest = NULL;
            return shorts[0] == ':' ? ':' : '?';
        }
        bw_optarg = argv[bw_optind++];
    }
    rest = NULL;
    return c;
}

static int next(int argc, char *const *argv, const char *shorts, const struct option *options, int *index, int only)
{
    int in_order = *shorts == '+' || *shorts == '-', return_all = *shorts == '-';
    if (in_order)
        shorts++;
    complains = bw_opterr && *shorts != ':';
    dashes = "--";
    if (bw_optind == 0 || !started) {
        bw_optind = bw_optind ? bw_optind : 1;
        first = last = bw_optind;
        rest = NULL;
        started = 1;
    }
    bw_optarg = NULL;
    if (!rest || !*rest) {
        if (last > bw_optind)
            last = bw_optind;
        if (first > bw_optind)
            first = bw_optind;
        if (!in_order) {
            if (first != last)
                exchange((char **)argv);
            else
                first = bw_optind;
            while (bw_optind < argc && !is_option(argv[bw_optind]))
                bw_optind++;
            last = bw_optind;
        }
        if (bw_optind < argc && argv[bw_optind][0] == '-' && argv[bw_optind][1] == '-' && !argv[bw_optind][2]) {
            bw_optind++;
            if (first != last)
                exchange((char **)argv);
            else
                first = bw_optind;
            last = argc;
            bw_optind = argc;
        }
        if (bw_optind >= argc) {
            if (first != last)
                bw_optind = first;
            return -1;
        }
        char *word = argv[bw_optind];
        if (!is_option(word)) {
            if (!return_all)
                return -1;
            bw_optarg = word;
            bw_optind++;
            return 1;
        }
        if (options && word[1] == '-')
            return long_option(argc, argv, shorts, options, index, word + 2, only);
        int is_letter = strchr(shorts, word[1]) != NULL;
        if (options && only && (word[2] || !is_letter)) {
            int ambiguous, found = find(options, word + 1, strcspn(word + 1, "="), only, &ambiguous);
            dashes = "-";
            if (found >= 0 || !is_letter)
                return long_option(argc, argv, shorts, options, index, word + 1, only);
        }
        rest = word + 1;
    }
    return short_option(argc, argv, shorts);
}

int bw_getopt(int argc, char *const argv[], const char *shorts) { return next(argc, argv, shorts, NULL, NULL, 0); }

int bw_getopt_long(int argc, char *const argv[], const char *shorts, const struct option *options, int *index)
{
    return next(argc, argv, shorts, options, index, 0);
}

int bw_getopt_long_only(int argc, char *const argv[], const char *shorts, const struct option *options, int *index)
{
    return next(argc, argv, shorts, options, index, 1);
}
