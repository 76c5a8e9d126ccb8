/* SPDX-License-Identifier: MIT */
/* shadow.h - the calls that have not returned, as the processor made them.
 *
 * A call enters its return address and a ret takes it out; a signal enters what
 * it interrupted and the return address that the kernel gives its handler.
 * What a jump leaves below the stack pointer is gone.
 */
#ifndef TEST_STEPPER_SHADOW_H
#define TEST_STEPPER_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct shadow_call {
	uintptr_t slot; /* where the return address is; of a signal, sp */
	uintptr_t pc;   /* where it goes on */
	bool is_signal;
};

struct shadow {
	struct shadow_call *call; /* outermost first */
	size_t count, room;
};

void shadow_call(struct shadow *shadow, uintptr_t slot, uintptr_t ra);
void shadow_return(struct shadow *shadow, uintptr_t slot);
void shadow_signal(struct shadow *shadow, uintptr_t sp, uintptr_t pc,
		   uintptr_t slot, uintptr_t ra);
void shadow_sigreturn(struct shadow *shadow);

/* The stack pointer is now SP, by whatever instruction. */
void shadow_trim(struct shadow *shadow, uintptr_t sp);

#endif
