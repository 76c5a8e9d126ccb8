/* SPDX-License-Identifier: MIT */
/* shadow.c - the calls that have not returned, as the processor made them. */
#include "shadow.h"

#include <stdlib.h>

#include "columns.h"
#include "tracee.h"

static void enter(struct shadow *shadow, struct shadow_call call)
{
	if (shadow->count == shadow->room) {
		shadow->room = shadow->room ? 2 * shadow->room : 1024;
		shadow->call = realloc(shadow->call,
				       shadow->room * sizeof(call));
		if (!shadow->call)
			abort();
	}
	shadow->call[shadow->count++] = call;
}

static struct shadow *shadows;

static struct shadow *new_shadow(uintptr_t sp, bool is_planted)
{
	struct shadow *shadow = calloc(1, sizeof(*shadow));

	if (!shadow)
		abort();
	*shadow = (struct shadow){ .sp = sp, .is_running = true,
				   .is_arriving = is_planted,
				   .is_planted = is_planted, .next = shadows };
	return shadows = shadow;
}

struct shadow *shadow_start(uintptr_t sp)
{
	return new_shadow(sp, false);
}

void shadow_end(struct shadow *shadow)
{
	struct shadow **at = &shadows;

	while (*at != shadow)
		at = &(*at)->next;
	*at = shadow->next;
	free(shadow->call);
	free(shadow);
}

static struct shadow_call *top(struct shadow *shadow)
{
	return shadow->count > 0 ? &shadow->call[shadow->count - 1] : NULL;
}

void shadow_call(struct shadow *shadow, uintptr_t slot, uintptr_t ra)
{
	enter(shadow, (struct shadow_call){ .slot = slot, .pc = ra });
}

/* Take out what PC and SLOT end, or else what was called from there. */
static void land(struct shadow *shadow, uintptr_t slot, uintptr_t pc)
{
	size_t at = shadow->count;

	shadow->is_leaving = false;
	while (at > 0 && !shadow->call[at - 1].is_signal && shadow->call[at - 1].slot <= slot)
		if (shadow->call[--at].slot == slot && shadow->call[at].pc == pc)
			break;
	shadow->count = at;
}

void shadow_return(struct shadow *shadow, uintptr_t slot, uintptr_t pc, bool by_return)
{
	struct shadow_call *call = top(shadow);

	if (call && !call->is_signal && call->slot == slot && call->pc == pc) {
		shadow->count--;
		shadow->is_leaving = false;
	} else if (WCM_HAS_LINK_REGISTER && !shadow->is_arriving &&
		   (by_return || shadow->is_leaving)) {
		land(shadow, slot, pc);
	}
}

void shadow_signal(struct shadow *shadow, uintptr_t sp, uintptr_t pc,
		   uintptr_t slot, uintptr_t ra)
{
	enter(shadow, (struct shadow_call){ sp, pc, true });
	shadow_call(shadow, slot, ra);
	shadow->sp = slot;
}

void shadow_sigreturn(struct shadow *shadow)
{
	while (shadow->count > 0)
		if (shadow->call[--shadow->count].is_signal)
			break;
}

/* Whether SP lies on the stack of a call outside of the innermost signal. */
static bool left_a_signal(const struct shadow *shadow, uintptr_t sp)
{
	size_t i = shadow->count;

	while (i > 0 && !shadow->call[i - 1].is_signal)
		i--;
	return i > 0 && tracee_same_stack(shadow->call[i - 1].slot, sp);
}

static void trim(struct shadow *shadow, uintptr_t sp)
{
	struct shadow_call *call;

	while ((call = top(shadow)) != NULL && !call->is_signal) {
		if (tracee_same_stack(call->slot, sp)) {
			if (call->slot >= sp)
				return;
		} else if (!left_a_signal(shadow, sp)) {
			return;
		}
		shadow->count--;
		shadow->is_leaving = true;
		/* A handler that was jumped out of ends its signal. */
		call = top(shadow);
		if (call && call->is_signal)
			shadow->count--;
	}
}

/* Whether SP lies on a stack that the record has calls on. */
static bool holds(const struct shadow *shadow, uintptr_t sp)
{
	if (tracee_same_stack(shadow->sp, sp))
		return true;
	for (size_t i = shadow->count; i-- > 0;)
		if (tracee_same_stack(shadow->call[i].slot, sp))
			return true;
	return false;
}

static struct shadow *find_waiting(uintptr_t sp)
{
	struct shadow *shadow = shadows;

	while (shadow && (shadow->is_running ||
			  !tracee_same_stack(shadow->sp, sp)))
		shadow = shadow->next;
	return shadow;
}

/* Nobody writes on a stack that waits, unless for another first function.  Where return
 * addresses are in a register, the record is empty once that is arrived at. */
static bool has_begun_anew(const struct shadow *shadow)
{
	for (size_t i = 0; i < shadow->count; i++) {
		const struct shadow_call *call = &shadow->call[i];
		uintptr_t ra = 0;

		if (!call->is_signal &&
		    (tracee_read(call->slot, &ra, sizeof(ra)) < sizeof(ra) ||
		     ra != call->pc))
			return true;
	}
	return false;
}

/* To the record of the stack that holds SP.  What it has must wait: the code that
 * switches may be about to use the return address below SP. */
static struct shadow *switch_to(uintptr_t sp)
{
	struct shadow *shadow = find_waiting(sp);

	if (!shadow)
		return new_shadow(sp, true);
	shadow->is_running = true;
	shadow->is_arriving = true;
	shadow->sp = sp;
	if (!WCM_HAS_LINK_REGISTER && has_begun_anew(shadow))
		shadow->count = 0;
	return shadow;
}

/* Code that has switched stacks jumps by a return address that it pushes. */
static void push_goal(struct shadow *shadow, uintptr_t sp)
{
	uintptr_t goal = 0;

	trim(shadow, sp + sizeof(sp));
	tracee_read(sp, &goal, sizeof(goal));
	if (shadow->count > 0)
		shadow_call(shadow, sp, goal);
}

struct shadow *shadow_move(struct shadow *shadow, uintptr_t sp)
{
	if (!holds(shadow, sp)) {
		shadow->is_running = false;
		shadow->is_arriving = false;
		return switch_to(sp);
	}
	if (!shadow->is_arriving)
		trim(shadow, sp);
	else if (sp == shadow->sp - sizeof(sp))
		push_goal(shadow, sp);
	shadow->sp = sp;
	return shadow;
}

void shadow_arrive(struct shadow *shadow, uintptr_t sp, uintptr_t pc, uintptr_t ra)
{
	shadow->is_arriving = false;
	trim(shadow, sp);
	if (WCM_HAS_LINK_REGISTER)
		land(shadow, sp, pc);
	if (shadow->count == 0 && shadow->is_planted && ra != pc && tracee_is_code(ra))
		shadow_call(shadow, sp, ra);
}
