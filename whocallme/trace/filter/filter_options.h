/* SPDX-License-Identifier: MIT */
/* filter_options.h - turns the filter that is asked for into the one that hooks read. */
#ifndef WCM_CONTROL_FILTER_OPTIONS_H
#define WCM_CONTROL_FILTER_OPTIONS_H

#include "trace/filter/call_filter.h"
#include "whocallme/trace.h"

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
