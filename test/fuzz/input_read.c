/* SPDX-License-Identifier: MIT */
/* input_read.c - in place of core/os/read.c: tables are the input, all other memory
 * is made up.
 *
 * The kernel would read beyond the input without a word; here a decoder that
 * leaves it aborts.  What an indirect pointer leads to may lie anywhere, so that a
 * word outside is merely unreadable.
 */
#include "input_read.h"

#include <stdlib.h>
#include <string.h>

#include "core/modules/module_read.h"
#include "core/os/read.h"

static uintptr_t input_lo, input_hi;

uint8_t *input_copy(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size);

	if (!copy)
		abort();
	memcpy(copy, data, size);
	input_lo = (uintptr_t)copy;
	input_hi = input_lo + size;
	return copy;
}

uint64_t made_word(uint64_t seed)
{
	seed = (seed ^ seed >> 31) * 0x9e3779b97f4a7c15u;
	return seed ^ seed >> 29;
}

bool wcm__read_memory(uintptr_t addr, void *buf, size_t size)
{
	unsigned char *to = buf;

	if (made_word(addr >> 12) % 8 == 0)
		return false;
	for (size_t i = 0; i < size; i++)
		to[i] = (unsigned char)made_word(addr + i);
	return true;
}

bool wcm__read_table(uintptr_t addr, void *buf, size_t size)
{
	if (addr >= input_lo && addr < input_hi && input_hi - addr >= size) {
		memcpy(buf, (const void *)addr, size);
		return true;
	}
	if (size != sizeof(uintptr_t))
		abort();
	return false;
}
