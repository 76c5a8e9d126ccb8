/* SPDX-License-Identifier: MIT */
/* probe_options.h - has static probes be traced, as a trace's options ask for. */
#ifndef WCM_CONTROL_PROBE_OPTIONS_H
#define WCM_CONTROL_PROBE_OPTIONS_H

#include "whocallme/trace.h"

/* Find the probes that are to be traced, of what is loaded.  Returns whether some are, or may be
 * of what is loaded later. */
bool wcm__probes_find_or_complain(const struct wcm_trace_options *options);

/* Where the trace that ends has found none, a line on stderr says so, and what there is. */
void wcm__probes_tell_unseen(void);

/* Light those that have been found.  Where that cannot be, a line on stderr says why. */
void wcm__probes_light_or_complain(void);

#endif
