/* SPDX-License-Identifier: MIT */
/* input_read.h - the reading seam of the fuzz targets. */
#ifndef FUZZ_INPUT_READ_H
#define FUZZ_INPUT_READ_H

#include <stddef.h>
#include <stdint.h>

/* A copy of DATA in memory of exactly its size, and from now on the only table
 * there is; to be freed. */
uint8_t *input_copy(const uint8_t *data, size_t size);

/* A word made of SEED, the same each time. */
uint64_t made_word(uint64_t seed);

#endif
