/* SPDX-License-Identifier: MIT */
/* library_calls.h (SAFE) - traces the calls that modules make into others. */
#ifndef WCM_GOT_LIBRARY_CALLS_H
#define WCM_GOT_LIBRARY_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What became of switching on. */
struct wcm_library_result {
	uint64_t seen; /* which of the globs have some, as wcm__globs_choose() says */
	size_t calls; /* words by which functions are called that are traced now */
	int error;    /* an errno: some module's are not; 0 */
	bool refused; /* this CPU's are not known */
};

/* From now on the functions whose names are of GLOBS are told of when the modules of FROM, the
 * executable where that is NULL, call them.  Both lists stay.  Not async-signal-safe; after
 * wcm__sleds_on(). */
struct wcm_library_result wcm__library_calls_on(const char *globs, const char *from);

/* Which of GLOBS, a bit each, have some function that was called since. */
uint64_t wcm__library_calls_called(const char *globs);

/* No longer.  Signal-safe. */
void wcm__library_calls_off(void);

#endif
