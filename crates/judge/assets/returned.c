/*
 * Linked into the judged program: a run in which main returns writes its profile to another file than one that ends in
 * the middle of something.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void __llvm_profile_set_filename(const char *name);
int __real_main(int argc, char **argv, char **environment);

static char name[4200];

/* Where both go is told by the environment. */
__attribute__((constructor)) static void remember(void)
{
    static char died[sizeof name];
    const char *given = getenv("LLVM_PROFILE_FILE");
    const char *end = given ? strstr(given, "-died-") : NULL;
    if (!end || strlen(given) >= sizeof died)
        return;
    strcpy(died, given);
    snprintf(name, sizeof name, "%.*s-returned-%s", (int)(end - given), given, end + strlen("-died-"));
    __llvm_profile_set_filename(died);
}

int __wrap_main(int argc, char **argv, char **environment)
{
    /* The environment is as empty as the test wants it: the second is a note of the profile's runtime to itself. */
    unsetenv("LLVM_PROFILE_FILE");
    unsetenv("__LLVM_PROFILE_RT_INIT_ONCE");
    int status = __real_main(argc, argv, environment);
    if (*name)
        __llvm_profile_set_filename(name);
    return status;
}
