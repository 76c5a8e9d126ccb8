/* SPDX-License-Identifier: MIT */
/* dispatch_tell.c (SAFE) - tells the trace of the system calls that are dispatched. */
#include "trace/system/dispatch_tell.h"

#include "trace/system/system_slots.h"
#include "trace/engine/aside.h"
#include "trace/engine/handle_event.h"
#include "trace/system/dispatch_thread.h"

/* The call is told of by events like a function's, whose frame ends where the stack does.  Nothing
 * describes what is behind a handler's return, but the frame of its signal is known by the code in
 * front of that: ours is like every other. */
static struct wcm_event event_of(struct wcm_making *making)
{
	struct wcm_event event = { .func = wcm__system_address(making->call.number),
				   .site = making->at.at.pc,
				   .at = making->at.at,
				   .told = &making->told };

	making->told = (struct wcm_told){ WCM_EVENT_SYSTEM, .system = &making->call };
	if (making->is_return)
		event.at.pc = wcm__arch_undispatched_code().restorer;
	return event;
}

bool wcm__system_is_told(long number)
{
	return number >= 0 && number < WCM_SYSTEM_CALLS && wcm__system_wanted.is_wanted[number] &&
	       wcm__gate_is_open();
}

static void enter(void *argument)
{
	struct wcm_making *making = argument;
	struct wcm_event event = event_of(making);

	wcm__event_enter_at(&event, event.at.sp, WCM_CALL_RETURNS);
}

void wcm__system_tell_begin(struct wcm_making *making)
{
	making->is_told = !wcm__system_is_filtered() && wcm__system_is_told(making->call.number);
	if (!making->is_told)
		return;
	wcm__system_wanted.was_traced[making->call.number] = true;
	if (wcm__system_own.child == 0)
		wcm__aside_in_handler(wcm__sharing_tracer(making->at.at.sp), enter, making);
	else if (!(wcm__gate.flags & WCM_TRACE_NO_TIMES))
		making->begin = wcm__ticks_ns();
}

/* A child that has its parent's memory has none of its calls told as the parent's. */
static void tell_of_child(void *argument)
{
	struct wcm_making *making = argument;
	const struct wcm_sink *mode = wcm__gate_mode();

	if (mode && mode->tell_apart)
		mode->tell_apart(wcm__system_own.child, &wcm__system_own.is_child_known,
				 &making->call, making->begin,
				 making->begin ? wcm__ticks_ns() : 0);
}

static void leave(void *argument)
{
	struct wcm_event event = event_of(argument);

	wcm__event_return(&event);
}

void wcm__system_tell_end(struct wcm_making *making, long result)
{
	making->call.result = result;
	if (making->is_told && !wcm__system_is_filtered())
		wcm__aside_in_handler(wcm__sharing_tracer(making->at.at.sp),
				      wcm__system_own.child != 0 ? tell_of_child : leave, making);
}

void wcm__system_tell_whole(struct wcm_making *making, long result)
{
	wcm__system_tell_begin(making);
	wcm__system_tell_end(making, result);
}
