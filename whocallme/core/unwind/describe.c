/* SPDX-License-Identifier: MIT */
/* describe.c - what describes the frame of a pc?
 *
 * The row of call frame information at that pc, of the module that holds it.
 */
#include "unwind/describe.h"

#include "symbols/modules.h"

static bool describe_by(struct wcm_description *description,
			const struct wcm_unwind_table *table, uintptr_t site)
{
	return wcm__fde_find(&description->fde, table, site) &&
	       wcm__cfi_row(&description->row, &description->fde, site);
}

/* In code that can be unloaded, which is held as far as that is possible. */
static bool describe_guest(struct wcm_description *description, uintptr_t site)
{
	struct wcm_unwind_table table;
	const struct wcm_hold *hold =
		wcm__hold(&description->hold) ? &description->hold : NULL;
	const bool found = wcm__modules_find_guest_unwind(&table, site, hold) &&
			   describe_by(description, &table, site);

	description->is_held = hold != NULL;
	if (found && table.held)
		description->epoch = wcm__epoch_of(hold->unloadings);
	return found;
}

bool wcm__describe(struct wcm_description *description, uintptr_t site)
{
	struct wcm_unwind_table table;

	description->is_held = false;
	description->epoch = 0;
	description->permanent = wcm__modules_find_lasting_unwind(&table, site);
	return description->permanent ? describe_by(description, &table, site)
				      : describe_guest(description, site);
}

void wcm__description_let_go(const struct wcm_description *description)
{
	if (description->is_held)
		wcm__release(&description->hold);
}
