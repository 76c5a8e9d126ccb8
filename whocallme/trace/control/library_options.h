/* SPDX-License-Identifier: MIT */
/* library_options.h - has calls into libraries be traced, as a trace's options ask for. */
#ifndef WCM_CONTROL_LIBRARY_OPTIONS_H
#define WCM_CONTROL_LIBRARY_OPTIONS_H

#include "whocallme/trace.h"

/* Where that cannot be, a line on stderr says why. */
void wcm__library_calls_on_or_complain(const struct wcm_trace_options *options);

/* Say which globs of the list choose nothing of what was called until now. */
void wcm__library_calls_tell_uncalled(void);

#endif
