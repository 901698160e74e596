/* The main of a fuzz target: it gets the bytes of the test, in a block of exactly their size. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
const unsigned char *branchwise_fuzzer_input(size_t *size);

int main(void)
{
    size_t size;
    const unsigned char *bytes = branchwise_fuzzer_input(&size);
    unsigned char *copy = malloc(size ? size : 1);
    if (!copy)
        return 125;
    memcpy(copy, bytes, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    return 0;
}
