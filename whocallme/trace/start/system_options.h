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

/* Say which globs of the list choose nothing of what was traced until now.  Signal-safe. */
void wcm__system_calls_tell_untraced(void);

/* Have that be said by the system call that ends this process, as long as a trace is open then. */
void wcm__system_calls_tell_later(void);

#endif
