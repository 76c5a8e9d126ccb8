/* SPDX-License-Identifier: MIT */
/* number.h - reads a number that is digits and nothing else. */
#ifndef WCM_TOOL_NUMBER_H
#define WCM_TOOL_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Read the number that TEXT begins with into *VALUE, by BASE 10, or by 16 with or without 0x.
 * Returns what follows it; NULL, and *VALUE is 0, where TEXT begins otherwise, as by a sign or a
 * blank, or the number is above MOST.  TEXT may be NULL, so that calls can follow each other. */
const char *number_read(const char *text, int base, uint64_t most, uint64_t *value);

/* What follows WORD at TEXT, which may be NULL; NULL: something else is there. */
const char *number_behind(const char *text, const char *word);

/* Whether all of TEXT is a decimal number from LEAST to MOST. */
bool number_is(const char *text, uint64_t least, uint64_t most, uint64_t *value);

#endif
