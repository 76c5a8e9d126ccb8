/* SPDX-License-Identifier: MIT */
/* plain.h - functions that two units inline. */
#ifndef PLAIN_H
#define PLAIN_H

#include <stddef.h>

int plain_parse(const char *text, int *values, size_t room);
void plain_fail(const char *what) __attribute__((cold, noreturn));

static inline int clamp(int value, int low, int high)
{
	if (value < low)
		return low;
	return value > high ? high : value;
}

static inline unsigned mix(unsigned hash, int value)
{
	hash ^= (unsigned)clamp(value, -1000, 1000);
	return hash * 16777619u;
}

static inline __attribute__((always_inline)) unsigned mix_all(const int *values,
							      size_t count)
{
	unsigned hash = 2166136261u;

	for (size_t i = 0; i < count; i++)
		hash = mix(hash, values[i]);
	return hash;
}

#endif
