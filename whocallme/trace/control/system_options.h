/* SPDX-License-Identifier: MIT */
/* system_options.h - has system calls be traced, as a trace's options ask for. */
#ifndef WCM_CONTROL_SYSTEM_OPTIONS_H
#define WCM_CONTROL_SYSTEM_OPTIONS_H

#include "whocallme/trace.h"

/* If they are to be traced they have names, with which a recording begins. */
void wcm__system_calls_name(const struct wcm_trace_options *options);

/* The trace is open.  HAS_PROBES: probes are to be traced, too, for which signals are kept by the
 * same means.  False: not in all threads. */
bool wcm__system_calls_on_or_complain(const struct wcm_trace_options *options,
				      bool has_probes);

#endif
