/* SPDX-License-Identifier: MIT */
/* shadow.c - the calls that have not returned, as the processor made them. */
#include "shadow.h"

#include <stdlib.h>

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

static struct shadow_call *top(struct shadow *shadow)
{
	return shadow->count > 0 ? &shadow->call[shadow->count - 1] : NULL;
}

void shadow_call(struct shadow *shadow, uintptr_t slot, uintptr_t ra)
{
	enter(shadow, (struct shadow_call){ .slot = slot, .pc = ra });
}

void shadow_return(struct shadow *shadow, uintptr_t slot)
{
	struct shadow_call *call = top(shadow);

	if (call && !call->is_signal && call->slot == slot)
		shadow->count--;
}

void shadow_signal(struct shadow *shadow, uintptr_t sp, uintptr_t pc,
		   uintptr_t slot, uintptr_t ra)
{
	enter(shadow, (struct shadow_call){ sp, pc, true });
	shadow_call(shadow, slot, ra);
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

void shadow_trim(struct shadow *shadow, uintptr_t sp)
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
		/* A handler that was jumped out of ends its signal. */
		call = top(shadow);
		if (call && call->is_signal)
			shadow->count--;
	}
}
