/* SPDX-License-Identifier: MIT */
/* describe.h - what describes the frame of a pc? */
#ifndef WCM_UNWIND_DESCRIBE_H
#define WCM_UNWIND_DESCRIBE_H

#include "unwind/cfi.h"
#include "unwind/epoch.h"

struct wcm_description {
	struct wcm_fde fde;
	struct wcm_row row;
	bool permanent;
	unsigned epoch; /* in which it is so, where that is told; else 0 */
	bool is_held;
	struct wcm_hold hold;
};

/* The description of what runs at SITE; false where there is none.  Its module stays as
 * long as the caller does not let go, which it must, of one that there is not too. */
bool wcm__describe(struct wcm_description *description, uintptr_t site);
void wcm__description_let_go(const struct wcm_description *description);

#endif
