/*
 * Linked into the judged program: a run in which main returns writes its profile to another file than one that ends in
 * the middle of something.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void __llvm_profile_set_filename(const char *name);
int __real_main(int argc, char **argv, char **environment);

static char name[4096];

/* Before the program can change its environment. */
__attribute__((constructor)) static void remember(void)
{
    const char *died = getenv("LLVM_PROFILE_FILE");
    const char *end = died ? strstr(died, "-died-") : NULL;
    if (end)
        snprintf(name, sizeof name, "%.*s-returned-%s", (int)(end - died), died, end + strlen("-died-"));
}

int __wrap_main(int argc, char **argv, char **environment)
{
    int status = __real_main(argc, argv, environment);
    if (*name)
        __llvm_profile_set_filename(name);
    return status;
}
