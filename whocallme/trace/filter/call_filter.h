/* SPDX-License-Identifier: MIT */
/* call_filter.h (SAFE) - the sink that passes some calls on to another.
 *
 * A function is judged by its name once, and what came of it is found in one look
 * from then on; the rest depends on the call: what calls it, how deep it is, in which
 * thread, how long it lasts.
 */
#ifndef WCM_FILTER_CALL_FILTER_H
#define WCM_FILTER_CALL_FILTER_H

#include "trace/filter/filter_lists.h"

/* Have FILTER, whose lists are made, wrap INNER.  Returns the sink that it is. */
const struct wcm_sink *wcm__filter_wrap(struct wcm_filter *filter,
					const struct wcm_sink *inner);

/* Tell of the calling thread's open calls that have lasted.  Signal-safe. */
void wcm__filter_show_open(void);

#endif
