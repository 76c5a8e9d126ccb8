/* SPDX-License-Identifier: MIT */
/* dispatch_ways.h (SAFE) - which system calls are not made like most. */
#ifndef WCM_SYSTEM_DISPATCH_WAYS_H
#define WCM_SYSTEM_DISPATCH_WAYS_H

#include <stdbool.h>

#include "core/arch/arch.h"

enum wcm_way {
	WCM_WAY_USUAL,
	WCM_WAY_RETURN,    /* from a handler: its frame is the program's */
	WCM_WAY_RUN,       /* another program, if it can be */
	WCM_WAY_END,       /* of the thread or the process */
	WCM_WAY_LET_GO,    /* the stack or the thread-local variables in use go */
	WCM_WAY_HAND_OVER, /* the program dispatches calls itself */
	WCM_WAY_FILTER,    /* calls are to be filtered, ours among them */
	WCM_WAY_STOP,      /* a tracer is to have the thread, or may have it by now */
};

enum wcm_way wcm__system_way(const struct wcm_dispatched *call);

/* Whether the call NUMBER may raise a signal of those that writing brings about. */
bool wcm__system_is_writing(long number);

/* Whether the call NUMBER waits for nothing, or what it sends is to come behind it. */
bool wcm__system_is_quick(long number);

#endif
