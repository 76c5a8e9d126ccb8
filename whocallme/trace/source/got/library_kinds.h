/* SPDX-License-Identifier: MIT */
/* library_kinds.h (SAFE) - which functions are not to be told of, or not of their ends. */
#ifndef WCM_GOT_LIBRARY_KINDS_H
#define WCM_GOT_LIBRARY_KINDS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether NAME is of LIST, of globs between commas. */
bool wcm__library_is_of(const char *list, const char *name);

/* Whether LIST chooses NAME, as wcm__globs_choose() does, with SEEN. */
bool wcm__library_choose(const char *list, const char *name, uint64_t *seen);

/* Whether NAME is called by tracing itself, or asks who called it for this library. */
bool wcm__library_is_ours(const char *name);

/* Whether NAME loads libraries. */
bool wcm__library_opens(const char *name);

/* Whether NAME returns twice, elsewhere or never, or asks for its return address. */
bool wcm__library_keeps_return(const char *name);

#endif
