/* SPDX-License-Identifier: MIT */
/* request.h - starts a trace that a client of the agent asks for. */
#ifndef WCM_CONTROL_REQUEST_H
#define WCM_CONTROL_REQUEST_H

#include <stdint.h>

struct wcm_brought;

/* Start what SETTINGS, the variables of `whocallme trace` as entries NAME=VALUE up to a NULL,
 * ask for: lines go to FD, a graph and a recording to what is BROUGHT.  Returns the trace's
 * generation, or 0 with a reason in *WHY, NULL where a line has been written as all complaints
 * are. */
uint32_t wcm__trace_request(char *const settings[], int fd, const struct wcm_brought *brought,
			    const char **why);

#endif
