/* SPDX-License-Identifier: MIT */
/* stack_span.h (SAFE) - where the calling thread's stack is. */
#ifndef WCM_UNWIND_STACK_SPAN_H
#define WCM_UNWIND_STACK_SPAN_H

#include "core/os/read.h"

/* The stack around SP, upwards, as far as it is known: to the thread's outermost
 * frame where SP is on the thread's own stack, else the page of SP alone, or
 * nothing where that is unreadable.  A page of it may have been taken away since. */
struct wcm_span wcm__stack_span(uintptr_t sp);

/* Whether SPAN, which wcm__stack_span() gave, is the calling thread's own stack, which its libc
 * has begun. */
bool wcm__stack_is_own(const struct wcm_span *span);

/* How often the program has changed what is mapped, and, in the low bits, how many
 * threads are about it; where its calls for that are told (watch/remap.c). */
enum { WCM_REMAPPINGS_AT = 16 };
extern uint64_t wcm__remappings __attribute__((visibility("hidden")));
extern bool wcm__remapping_is_told __attribute__((visibility("hidden")));

/* The part of a stack that may be loaded from now: all of the thread's own where it is
 * known to be there, else the page of SP, or nothing.  It is good for one walk by the
 * thread whose stack it is. */
struct wcm_span wcm__stack_window(uintptr_t sp);

/* Whether WINDOW holds the word at ADDR, or could be made to, upwards. */
bool wcm__stack_reach(struct wcm_span *window, uintptr_t addr);

/* The calling thread's alternate stack, if SP is on that; else nothing. */
struct wcm_span wcm__stack_alternate(uintptr_t sp);

/* The top of the calling thread's own stack, or an address close to it; 0 where it
 * is unknown. */
uintptr_t wcm__stack_top(void);

/* The lowest address that the calling thread's own stack may grow to, or one above it; 0 where it
 * is unknown. */
uintptr_t wcm__stack_bottom(void);

/* Whether SP is known to be on the stack of the thread that the thread-local variables are of. */
bool wcm__stack_is_threads(uintptr_t sp);

/* The calling thread has BYTES of stack, which end at its thread pointer or above. */
void wcm__stack_has(size_t bytes);

#endif
