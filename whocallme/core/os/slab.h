/* SPDX-License-Identifier: MIT */
/* slab.h (SAFE) - memory for what threads have of the library's, many of which share a mapping. */
#ifndef WCM_OS_SLAB_H
#define WCM_OS_SLAB_H

#include <stdbool.h>
#include <stddef.h>

/* Zeroed memory of SIZE bytes, more of which than is ever used costs nothing, or NULL.  It is
 * never given back.  Signal-safe, from any thread. */
void *wcm__slab_take(size_t size);

/* Whether the address space is bounded (RLIMIT_AS), so that little is to be taken at first. */
bool wcm__slab_is_bounded(void);

#endif
