/* SPDX-License-Identifier: MIT */
/* sled_complaint.h - says why functions with sleds are not traced. */
#ifndef WCM_CONTROL_SLED_COMPLAINT_H
#define WCM_CONTROL_SLED_COMPLAINT_H

#include "trace/source/sled/sleds.h"

/* A line on stderr, unless all is well. */
void wcm__sleds_complain(struct wcm_sleds_result result);

#endif
