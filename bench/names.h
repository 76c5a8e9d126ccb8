/* SPDX-License-Identifier: MIT */
/* names.h - what names.c asks of a library that names addresses of a file.
 * Each program links one implementation. */
#ifndef BENCH_NAMES_H
#define BENCH_NAMES_H

#include <stdbool.h>
#include <stdint.h>

/* Make the file PATH ready for look-ups; FIRST is an address to ask for, where
 * nothing is read before the first question.  False where it failed. */
bool names_load(const char *path, uint64_t first);

/* The name of the function at ADDRESS, or NULL. */
const char *names_find(uint64_t address);

/* Whether names_find() works: the floor of loading only reads. */
extern const bool names_can_find;

#endif
