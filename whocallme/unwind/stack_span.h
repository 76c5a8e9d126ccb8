/* SPDX-License-Identifier: MIT */
/* stack_span.h - where the calling thread's stack is. */
#ifndef WCM_UNWIND_STACK_SPAN_H
#define WCM_UNWIND_STACK_SPAN_H

#include "unwind/read.h"

/* The part of the stack around SP, upwards, that may be loaded from directly:
 * to the thread's outermost frame where SP is on the thread's own stack, else
 * the page of SP alone, or nothing where that is unreadable. */
struct wcm_span wcm__stack_span(uintptr_t sp);

/* The top of the calling thread's own stack, or an address close to it; 0 where it
 * is unknown. */
uintptr_t wcm__stack_top(void);

#endif
