/* SPDX-License-Identifier: MIT */
/* lsda.h (SAFE) - finds where an exception lands that leaves a call. */
#ifndef WCM_CFI_LSDA_H
#define WCM_CFI_LSDA_H

#include "core/cfi/fde.h"

/* What awaits exceptions at a landing pad: a bit for each type, by its number in the
 * function's table, and these. */
#define WCM_LANDS_CLEANUP 0x0001u
#define WCM_LANDS_ANY     0x8000u /* every type, or more than there are bits for */

/* How a call of a function stands in its table of call sites. */
enum wcm_landing_kind {
	WCM_LANDING_UNKNOWN, /* not at all: it throws nothing */
	WCM_LANDING_NONE,    /* what it throws leaves the function */
	WCM_LANDING_PAD,
};

struct wcm_landing {
	enum wcm_landing_kind kind;
	uintptr_t pad;  /* of NONE: the nearest one that begins before the call, or 0 */
	uint32_t lands; /* WCM_LANDS_* there */
};

/* Where exceptions of the call at PC, inside FDE's code, land.  TABLE is where the FDE
 * was found, which holds the function's own table, too. */
struct wcm_landing wcm__lsda_find(const struct wcm_fde *fde,
				  const struct wcm_unwind_table *table, uintptr_t pc);

#endif
