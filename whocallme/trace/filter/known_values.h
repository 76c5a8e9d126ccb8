/* SPDX-License-Identifier: MIT */
/* known_values.h (SAFE) - the prototypes of the functions whose values are asked for. */
#ifndef WCM_FILTER_KNOWN_VALUES_H
#define WCM_FILTER_KNOWN_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A prototype of a list: of the function at an address, or of all of a name. */
struct wcm_known_value {
	uintptr_t at;
	const char *name;  /* NULL: it is the one AT */
	const char *codes; /* see prototype.h */
};

/* Those of a list: COUNT by address, ascending, and then NAMED ones. */
struct wcm_known_values {
	size_t count, named;
	bool yields; /* to the table of well-known functions */
	const struct wcm_known_value *value;
};

/* Ask for the values of functions whose names are of GLOBS, and of those of LIST, which both stay;
 * NULL: of none.  No trace is on. */
void wcm__known_values_ask(const char *globs, const struct wcm_known_values *list);

bool wcm__known_values_asked(void);

/* The prototype of a library function, if it is asked for; NULL: it is not, or is not known.
 * Signal-safe. */
const char *wcm__known_values_of_name(const char *name);

/* The same of the function at FUNC, or of the library function that the word there leads to.
 * Signal-safe. */
const char *wcm__known_values_of(uintptr_t func);

/* The functions of the list that are from LO on and before HI. */
struct wcm_known_values wcm__known_values_between(uintptr_t lo, uintptr_t hi);

#endif
