/* SPDX-License-Identifier: MIT */
/* describe.c (SAFE) - finds the row of call frame information for a pc, by the module that has
 * it. */
#include "core/unwind/describe.h"

#include "core/arch/arch.h"
#include "core/cfi/cfi.h"
#include "core/modules/module_read.h"
#include "core/modules/modules.h"
#include "core/unwind/changed_return.h"
#include "core/unwind/debug_frame.h"
#include "core/unwind/registered.h"

/* Whether FDE has no instruction of its own: it is filled up with DW_CFA_nop, which is 0. */
static bool says_nothing(const struct wcm_fde *fde)
{
	struct wcm_cursor code;

	wcm__cursor_init(&code, fde->at, fde->instructions_end, fde->held);
	while (!wcm__cursor_is_done(&code))
		if (wcm__cursor_byte(&code) != 0)
			return false;
	return !code.bad;
}

static bool is_of_a_call(const struct wcm_rule *rule)
{
	return WCM_HAS_LINK_REGISTER && rule->base == WCM_BASE_SP && rule->cfa_off == 0 &&
	       !rule->ra_saved;
}

/* Where a call uses a link register, a description without instructions is that of a leaf, or of
 * assembly whose author left them out, as they are of some _dl_runtime_resolve() of glibc's: then
 * the frame is the one that the code in front makes. */
static void read_frame(struct wcm_rule *rule, const struct wcm_fde *fde, uintptr_t site)
{
	struct wcm_rule by_code;

	if (says_nothing(fde) &&
	    wcm__arch_prologue_rule(&by_code, fde->start, site, wcm__read_code))
		*rule = by_code;
}

/* plain.c reads the table where it lies and so needs one that is held.  It is asked for a
 * compact rule only: who passes no RULE needs the whole row, to follow all registers. */
static bool describe_by(struct wcm_description *description,
			const struct wcm_unwind_table *table, uintptr_t site,
			struct wcm_rule *rule)
{
	if (rule && table->held && wcm__plain_rule(rule, table, site) && !is_of_a_call(rule)) {
		description->is_compact = true;
		return true;
	}
	if (!wcm__fde_find(&description->fde, table, site) ||
	    !wcm__cfi_row(&description->row, &description->fde, site))
		return false;
	description->is_compact =
		rule && wcm__cfi_compact(rule, &description->row, &description->fde);
	if (description->is_compact && is_of_a_call(rule))
		read_frame(rule, &description->fde, site);
	return true;
}

/* In code that can be unloaded, which is held as far as that is possible. */
static bool describe_unloadable(struct wcm_description *description, uintptr_t site,
				struct wcm_rule *rule)
{
	/* The hold comes before the look-up: what is found after it cannot be unloaded until it
	 * is let go.  Where unloading is not told, or is under way, there is no hold; then the
	 * table is read through the kernel, and nothing is remembered of it. */
	struct wcm_unwind_table table;
	const struct wcm_hold *hold =
		wcm__hold(&description->hold) ? &description->hold : NULL;
	const bool found = wcm__modules_find_unloadable_unwind(&table, site, hold) &&
			   describe_by(description, &table, site, rule);

	/* The epoch is that in which the hold began.  No number of it returns while the hold
	 * lasts, so that it may still be entered in the cache after others have begun. */
	description->is_held = hold != NULL;
	if (found && table.held)
		description->epoch = wcm__epoch_of(hold->unloadings);
	return found;
}

/* By what no module has mapped: its file's .debug_frame, or what a run-time has registered.  Where
 * neither describes SITE, what is known of its module stays. */
static bool describe_aside(struct wcm_description *description, uintptr_t site,
			   struct wcm_rule *rule)
{
	struct wcm_unwind_table table;
	bool permanent;

	if (wcm__debug_frame_find(&table, site, &permanent) &&
	    describe_by(description, &table, site, rule)) {
		description->permanent = permanent;
		return true;
	}
	for (size_t slot = 0; wcm__registered_find(&table, site, &slot);)
		if (describe_by(description, &table, site, rule)) {
			description->permanent = false;
			return true;
		}
	return false;
}

bool wcm__describe(struct wcm_description *description, uintptr_t site,
		   struct wcm_rule *rule)
{
	struct wcm_unwind_table table = { .known = NULL };
	bool found;

	description->is_held = false;
	description->epoch = 0;
	/* Nearly all code is of modules that stay: they are in a sorted table and need no hold. */
	description->permanent = wcm__modules_find_lasting_unwind(&table, site);
	description->module = table.known;
	found = description->permanent ? describe_by(description, &table, site, rule)
				       : describe_unloadable(description, site, rule);
	return found || describe_aside(description, site, rule);
}

void wcm__description_let_go(const struct wcm_description *description)
{
	if (description->is_held)
		wcm__release(&description->hold);
}

enum wcm_stop wcm__description_step(const struct wcm_description *description,
				    struct wcm_registers *registers,
				    const struct wcm_span *stack)
{
	const enum wcm_stop stop =
		wcm__cfi_step(registers, &description->row, &description->fde, stack);
	uintptr_t sp;

	if (stop == WCM_STOP_NONE && wcm__register_get(registers, WCM_COLUMN_SP, &sp))
		registers->pc = wcm__return_true(registers->pc, sp);
	return stop;
}
