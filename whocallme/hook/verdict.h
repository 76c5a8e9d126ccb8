/* SPDX-License-Identifier: MIT */
/* verdict.h - what do the lists say of a function? */
#ifndef WCM_HOOK_VERDICT_H
#define WCM_HOOK_VERDICT_H

#include "hook/filter.h"

#define WCM_VERDICT_KEEP 0x1u /* every list that keeps names it */
#define WCM_VERDICT_DROP 0x2u /* a list that drops names it */

/* Of the function that begins at FUNC.  Remembered: the first one takes long, the
 * others a few nanoseconds. */
uint32_t wcm__verdict_find(const struct wcm_filter *filter, uintptr_t func);

#endif
