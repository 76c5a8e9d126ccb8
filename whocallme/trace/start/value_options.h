/* SPDX-License-Identifier: MIT */
/* value_options.h - has what calls are given be known, as a trace's options ask for. */
#ifndef WCM_CONTROL_VALUE_OPTIONS_H
#define WCM_CONTROL_VALUE_OPTIONS_H

#include <stdbool.h>

#include "whocallme/trace.h"

/* Before library calls are switched on. */
void wcm__values_ask(const struct wcm_trace_options *options);

/* Whether any is asked for that can be had. */
bool wcm__values_are_asked(void);

/* Once they are on: where none can be had, a line on stderr says why. */
void wcm__values_complain(void);

#endif
