/* SPDX-License-Identifier: MIT */
/* sled_complaint.h - says why functions with sleds are not traced. */
#ifndef WCM_CONTROL_SLED_COMPLAINT_H
#define WCM_CONTROL_SLED_COMPLAINT_H

#include "trace/sleds/sleds.h"

/* As wcm__sleds_on().  What is not traced, now or when a library is opened, gets a line on
 * stderr. */
void wcm__sleds_on_or_complain(enum wcm_sleds_wanted by);

#endif
