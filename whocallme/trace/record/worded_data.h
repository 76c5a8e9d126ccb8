/* SPDX-License-Identifier: MIT */
/* worded_data.h (SAFE) - what system calls and static probes are given and give back, as data of a
 * recording. */
#ifndef WCM_VALUES_WORDED_DATA_H
#define WCM_VALUES_WORDED_DATA_H

#include <stdbool.h>

#include "trace/probes/probe_hit.h"
#include "trace/system/system_call.h"
#include "trace/values/value_data.h"

/* The codes of prototype.h for these data. */
#define WCM_SYSTEM_CODES "ww"
#define WCM_PROBE_CODES "vw"

/* Make DATA of CALL, which is about to be made; HIDES: see struct wcm_words.  Signal-safe. */
void wcm__worded_given(struct wcm_value_data *data, struct wcm_system_call *call);

/* The same of CALL, which is over; NULL: nobody knows how it ended. */
void wcm__worded_back(struct wcm_value_data *data, const struct wcm_system_call *call);

/* The same of the values of HIT. */
void wcm__worded_probe(struct wcm_value_data *data, const struct wcm_probe_hit *hit);

#endif
