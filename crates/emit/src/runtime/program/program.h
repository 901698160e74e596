/* Stands in for a header that the calls share with more than is needed here. */
#ifndef BW_PROGRAM_H
#define BW_PROGRAM_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for values, for the bytes of blocks, and for the words of a name. */
#define BW_VALUES 65536
#define BW_BLOCK_BYTES (1 << 20)
#define BW_NAME 2

#endif
