/* SPDX-License-Identifier: MIT */
/* enumeration.h (SAFE) - names of values, which prototypes refer to by their enumeration's
 * number. */
#ifndef WCM_VALUES_ENUMERATION_H
#define WCM_VALUES_ENUMERATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/words.h"

struct wcm_enumerator {
	int64_t value;
	const char *name;
};

struct wcm_enumeration {
	const char *name;
	size_t count;
	bool are_flags; /* values are single bits, or some of them together */
	const struct wcm_enumerator *enumerator; /* ascending, by value */
};

struct wcm_enumerations {
	size_t count;
	const struct wcm_enumeration *enumeration;
};

/* Have ALL, which stay, be those that numbers mean; NULL: there are none. */
void wcm__enumerations_set(const struct wcm_enumerations *all);

/* That of a NUMBER; NULL: there is none.  Signal-safe. */
const struct wcm_enumeration *wcm__enumeration_get(size_t number);

/* Put VALUE as the name that enumeration NUMBER has for it, RED, or those of its bits, A|B|0x40.
 * False, and nothing is put, where it has none. */
bool wcm__enumeration_words(struct wcm_words *words, size_t number, int64_t value);

#endif
