/* SPDX-License-Identifier: MIT */
/* call_filter.h (SAFE) - the sink that passes some calls on to another.
 *
 * A function is judged by its name once, and what came of it is found in one look
 * from then on; the rest depends on the call: what calls it, how deep it is, in which
 * thread, how long it lasts.
 */
#ifndef WCM_FILTER_CALL_FILTER_H
#define WCM_FILTER_CALL_FILTER_H

#include "trace/engine/sink.h"
#include "trace/filter/filter_lists.h"
#include "whocallme/trace.h"

/* Have FILTER, whose lists are made, wrap INNER.  Returns the sink that it is. */
const struct wcm_sink *wcm__filter_wrap(struct wcm_filter *filter,
					const struct wcm_sink *inner);

/* Tell of the calling thread's open calls that have lasted.  Signal-safe. */
void wcm__filter_show_open(void);

/* aside_sink.c: a sink that calls another where there is room for what that does. */

/* A sink that calls SINK as aside.h has it; no hook may be running. */
const struct wcm_sink *wcm__aside_sink(const struct wcm_sink *sink);

/* unwatched_sink.c: a sink that calls another out of sight of the program's sanitizers. */

/* SINK, or where the program has a sanitizer one that calls SINK unwatched; no hook may
 * be running.  A program without a sanitizer pays nothing. */
const struct wcm_sink *wcm__unwatched_sink(const struct wcm_sink *sink);

/* filter_options.c: turns the filter that is asked for into the one that hooks read. */

/* Copy what OPTIONS ask for, to last for ever, into *FILTER; NULL: for nothing.
 * WCM_EINVAL where this version does not know what that is; WCM_ENOMEM. */
enum wcm_status wcm__filter_make(const struct wcm_trace_options *options,
				 struct wcm_filter **filter);

/* Say on stderr which globs of LIST, which OPTION has, are not SEEN: that NONE, "no function",
 * matches them.  They are counted as wcm__globs_note() does.  Signal-safe. */
void wcm__globs_tell_unseen(const char *none, const char *option, const char *list, uint64_t seen);

/* Say on stderr which globs of FILTER, the latest, had nothing of what was called. */
void wcm__filter_tell_unseen(const struct wcm_filter *filter);

#endif
