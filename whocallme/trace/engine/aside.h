/* SPDX-License-Identifier: MIT */
/* aside.h (SAFE) - calls a function on the thread's own stack of the library's, where the
 * program's may have too little room.
 *
 * A coroutine's stack, or that of a signal handler, may have 2 KiB, and nothing says so.  So what
 * takes much of a stack runs there only where the room is known: on the stack that the system gave
 * to the thread, and on an alternate one of a known size.  Else it runs on a stack that is part of
 * the thread's tracer.  Signals are blocked meanwhile: no code of the program's runs on that stack,
 * jumps away from it, or finds it in use.
 */
#ifndef WCM_PROBE_ASIDE_H
#define WCM_PROBE_ASIDE_H

#include "trace/engine/tracer.h"

/* What an event takes of a stack at most, and the frame of a signal that comes meanwhile. */
enum { WCM_ASIDE_ROOM = 24 * 1024 };

/* Whether SHADOW's stack is known to have that below SP, which is on it. */
static inline bool wcm__has_room(const struct wcm_shadow *shadow, uintptr_t sp)
{
	return sp >= shadow->floor && sp < shadow->hi;
}

/* What TRACER is to tell, on the stack in use: while that has been nowhere without room. */
static inline const struct wcm_sink *wcm__aside_sink_of(const struct wcm_shadow *shadow)
{
	return shadow->floor < shadow->hi && shadow->lo >= shadow->floor ? wcm__gate.roomy :
									    wcm__gate.sink;
}

/* The same of an event at SP before its stack is found, which may be another than SHADOW's, in an
 * array within it: this stack has been there before, or little above, and where the end of the
 * innermost call is told, SP is not in the frame that has made that. */
static inline bool wcm__has_room_at(const struct wcm_shadow *shadow, uintptr_t sp)
{
	enum { NEAR = 4096 };
	const struct wcm_call *top = shadow->depth > 0 ? &shadow->call[shadow->depth - 1] : NULL;

	return wcm__has_room(shadow, sp) && (sp >= shadow->lo || (top && top->sp - sp <= NEAR)) &&
	       (!top || sp <= top->sp || sp == top->cfa || (top->flags & WCM_CALL_SILENT));
}

/* The same, in fewer instructions, where no calls' ends are told. */
static inline bool wcm__has_room_silently(const struct wcm_shadow *shadow, uintptr_t sp)
{
	return wcm__has_room(shadow, sp) && sp >= shadow->lo;
}

/* Call WORK with ARGUMENT on the stack in use, which is TRACER's shadow's, if that has room; else
 * on TRACER's, the calling thread's, or where TRACER is NULL on a stack that is made for it. */
void wcm__aside(struct wcm_tracer *tracer, void (*work)(void *argument), void *argument);

/* The same of an event at SP, as above. */
void wcm__aside_from(struct wcm_tracer *tracer, uintptr_t sp, void (*work)(void *argument),
		     void *argument);

/* The same in a handler that has all signals blocked: never on the stack in use. */
void wcm__aside_in_handler(struct wcm_tracer *tracer, void (*work)(void *argument),
			   void *argument);

/* Block signals, and return the top of the stack to switch to, which is to be given back; NULL:
 * it is in use, or there is none.  Nothing of libc is called. */
void *wcm__aside_take(struct wcm_tracer *tracer);
void wcm__aside_give_back(void *top);

#endif
