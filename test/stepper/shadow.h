/* SPDX-License-Identifier: MIT */
/* shadow.h - the calls that have not returned, as the processor made them.
 *
 * A call enters its return address and a ret takes it out; a signal enters what
 * it interrupted and the return address that the kernel gives its handler.
 * What a jump leaves below the stack pointer is gone.
 *
 * Where a call leaves the return address in a register, its slot is the stack pointer at the
 * call.  A function that has called has a frame, so what was called from where a jump out of
 * calls leads to has that stack pointer for its slot, and is gone as well once it is there.
 *
 * A stack pointer that comes to lie on a stack of which the record knows nothing
 * switches to that stack's own record, and the one that is left waits until it is
 * switched back to, by whichever thread: coroutines.  Stacks are told apart by
 * their mappings, so coroutines need guard pages between them.
 */
#ifndef TEST_STEPPER_SHADOW_H
#define TEST_STEPPER_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct shadow_call {
	uintptr_t slot; /* where the return address is, if on the stack; of a signal, sp */
	uintptr_t pc;   /* where it goes on */
	bool is_signal;
};

struct shadow {
	struct shadow_call *call; /* outermost first */
	size_t count, room;
	uintptr_t sp;         /* the last stack pointer */
	bool is_running;      /* a thread is on this stack */
	bool is_arriving;     /* by code that has yet to jump to its goal */
	bool is_leaving;      /* calls, by code that has yet to jump out of them */
	bool is_planted;      /* its first function was not called */
	struct shadow *next;
};

/* The record of a thread that starts at SP. */
struct shadow *shadow_start(uintptr_t sp);

/* The thread whose record it is has ended. */
void shadow_end(struct shadow *shadow);

void shadow_call(struct shadow *shadow, uintptr_t slot, uintptr_t ra);

/* A jump to PC with the stack pointer at SLOT; it returns if that is where a call left the
 * address.  Where a register holds it, one by a return instruction that does not match is a
 * jump out of calls. */
void shadow_return(struct shadow *shadow, uintptr_t slot, uintptr_t pc, bool by_return);
void shadow_signal(struct shadow *shadow, uintptr_t sp, uintptr_t pc,
		   uintptr_t slot, uintptr_t ra);
void shadow_sigreturn(struct shadow *shadow);

/* The stack pointer is now SP, by whatever instruction.  Returns the record of
 * the stack that it lies on. */
struct shadow *shadow_move(struct shadow *shadow, uintptr_t sp);

/* The jump that ends a switch was made, to PC, RA being where a function returns to that
 * begins there.  The first function of a stack made by hand returns to what was put there,
 * which is not itself. */
void shadow_arrive(struct shadow *shadow, uintptr_t sp, uintptr_t pc, uintptr_t ra);

/* Whether nothing is known of this stack yet: what was laid out by hand for code
 * that switches to it is no record of calls. */
static inline bool shadow_is_blank(const struct shadow *shadow)
{
	return shadow->is_arriving && shadow->count == 0;
}

#endif
