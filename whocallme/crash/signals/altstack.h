/* SPDX-License-Identifier: MIT */
/* altstack.h (SAFE) - gives threads an alternate stack, to report a crash from when their own
 * is full.
 *
 * All are of one size, with a guard page below: 64 KiB and what the CPU's state
 * takes.  A thread that has a stack of that size already keeps it.
 */
#ifndef WCM_SIGNALS_ALTSTACK_H
#define WCM_SIGNALS_ALTSTACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Every thread is to have one, from now on. */
void wcm__altstack_want(void);
bool wcm__altstack_is_wanted(void);

/* Give the calling thread an alternate signal stack (sigaltstack(2)) unless it
 * has one that is large enough.  False where the system has no memory for it. */
bool wcm__altstack_arm(void);

/* The same for the calling thread, being in a signal's handler that was given
 * UCONTEXT: the thread has it when the handler returns. */
void wcm__altstack_arm_interrupted(void *ucontext);

/* A stack for a thread to come, or NULL; its memory may be written to until it is
 * used. */
void *wcm__altstack_take(void);

/* The calling thread, which has none, uses STACK; at its end it leaves it.  What
 * was taken and never used is given back. */
void wcm__altstack_use(void *stack);
void wcm__altstack_leave(void *stack);
void wcm__altstack_give_back(void *stack);

/* The calling thread keeps STACK to its end; it is found when the thread is gone.
 * False where there are too many of those. */
bool wcm__altstack_adopt(void *stack);

/* Whether a signal's handler that stands on the stack it calls this from has room
 * for a report there. */
bool wcm__altstack_has_room(void);

/* Call FUNCTION on one more stack, for whoever reports where there is no room, one at a
 * time.  False, and nothing is called, where the port cannot. */
bool wcm__altstack_call_on_reserve(void (*function)(void *argument), void *argument);

/* sigaltstack(2) for the program, which is not to know of the stack that its thread was given:
 * where it has none, one that is too small, or wants none any more, that is there.  Addresses of a
 * stack_t, or 0; SP is where the program calls. */
long wcm__altstack_change(uintptr_t set, uintptr_t was, uintptr_t sp);

/* Whether a handler that is on the alternate stack can do so for SET, or 0; else the program has to
 * make the call itself. */
bool wcm__altstack_answers(uintptr_t set);

/* From now on a stack of the program's is too small that has no room for SIGNALS frames of the
 * kernel's and what handlers take. */
void wcm__altstack_expect(unsigned signals);

#endif
