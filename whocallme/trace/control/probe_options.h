/* SPDX-License-Identifier: MIT */
/* probe_options.h - has static probes be traced, as a trace's options ask for. */
#ifndef WCM_CONTROL_PROBE_OPTIONS_H
#define WCM_CONTROL_PROBE_OPTIONS_H

#include "whocallme/trace.h"

/* Find the probes that are to be traced; they have names, with which a recording begins.  Where
 * there are none, a line on stderr says so, and what there is.  Returns whether there are some. */
bool wcm__probes_find_or_complain(const struct wcm_trace_options *options);

/* Light those that have been found.  Where that cannot be, a line on stderr says why. */
void wcm__probes_light_or_complain(void);

#endif
