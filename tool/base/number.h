/* SPDX-License-Identifier: MIT */
/* number.h - reads numbers without a sign or blanks. */
#ifndef WCM_TOOL_NUMBER_H
#define WCM_TOOL_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Read the number that TEXT begins with into *VALUE, in BASE 10 or 16; in 16 an 0x may be in front.
 * Returns what follows it; NULL, and *VALUE is 0, where TEXT does not begin with a digit, or the
 * number is above MOST.  TEXT may be NULL, which gives NULL, so that calls can be chained. */
const char *number_read(const char *text, int base, uint64_t most, uint64_t *value);

/* What follows WORD where TEXT begins with it; else NULL.  TEXT may be NULL. */
const char *number_behind(const char *text, const char *word);

/* Whether all of TEXT is a decimal number from LEAST to MOST, which is put into *VALUE. */
bool number_is(const char *text, uint64_t least, uint64_t most, uint64_t *value);

#endif
