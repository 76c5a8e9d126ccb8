/* SPDX-License-Identifier: MIT */
/* filter_match.h (SAFE) - what a filter's lists say of a function, remembered. */
#ifndef WCM_FILTER_FILTER_MATCH_H
#define WCM_FILTER_FILTER_MATCH_H

#include "trace/filter/filter_lists.h"

#define WCM_MATCH_KEEP 0x1u /* every list that keeps names it */
#define WCM_MATCH_DROP 0x2u /* a list that drops names it */
#define WCM_MATCH_CHOSEN 0x8u /* no function: a library call, a system call, a static probe */

/* Of the function that begins at FUNC.  Remembered: the first one takes long, the
 * others a few nanoseconds. */
uint32_t wcm__filter_match(const struct wcm_filter *filter, uintptr_t func);

#endif
