/* SPDX-License-Identifier: MIT */
/* describe.h (SAFE) - finds the row of call frame information for a pc, by the module that has
 * it. */
#ifndef WCM_UNWIND_DESCRIBE_H
#define WCM_UNWIND_DESCRIBE_H

#include "core/cfi/cfi.h"
#include "core/modules/epoch.h"

struct wcm_description {
	struct wcm_fde fde; /* unless it is compact */
	struct wcm_row row;
	bool is_compact;
	bool permanent;
	const struct wcm_known_module *module; /* that is published and stays; or NULL */
	unsigned epoch; /* in which it is so, where that is told; else 0 */
	bool is_held;
	struct wcm_hold hold;
};

/* The description of what runs at SITE; false where there is none.  The caller lets go of
 * it in either case: until then its module is not unloaded, where that would be told.
 * RULE, unless NULL, is set where it says all, which is what is compact. */
bool wcm__describe(struct wcm_description *description, uintptr_t site,
		   struct wcm_rule *rule);
void wcm__description_let_go(const struct wcm_description *description);

/* Have REGISTERS, of a function that DESCRIPTION is of, be its caller's: wcm__cfi_step(). */
enum wcm_stop wcm__description_step(const struct wcm_description *description,
				    struct wcm_registers *registers,
				    const struct wcm_span *stack);

#endif
