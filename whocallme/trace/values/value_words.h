/* SPDX-License-Identifier: MIT */
/* value_words.h (SAFE) - what a call is given and gives back, as words. */
#ifndef WCM_VALUES_VALUE_WORDS_H
#define WCM_VALUES_VALUE_WORDS_H

#include "trace/values/prototype.h"
#include "trace/values/words_memory.h"

/* Put VALUE, of which an enumeration is that of wcm__enumerations_set().  Signal-safe. */
void wcm__value_words_put(struct wcm_words *words, const struct wcm_value *value);

/* Put what PASSED has for a function of CODES: ("in.txt", "r").  Signal-safe. */
void wcm__value_words_arguments(struct wcm_words *words, const char *codes,
				struct wcm_passed passed);

/* Put what it gives back, if anything: " → 0x5581c0".  Signal-safe. */
void wcm__value_words_result(struct wcm_words *words, const char *codes,
			     struct wcm_passed passed);

#endif
