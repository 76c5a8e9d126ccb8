/* SPDX-License-Identifier: MIT */
/* system_calls.c (SAFE) - traces the system calls of every thread.
 *
 * Syscall User Dispatch has the kernel raise SIGSYS for each call of a thread, but for those of
 * this library, which are made between two addresses: its own code or, where the program is one
 * with it, a part of that.  A thread is armed by itself: those that are there when a trace
 * starts are held to do so, and those that begin later are armed where they begin.
 */
#include "trace/system/system_calls.h"

#include <errno.h>
#include <string.h>
#include <elf.h>
#include <sys/ucontext.h>

#include "core/arch/arch.h"
#include "core/modules/modules.h"
#include "core/os/auxv.h"
#include "core/os/mask.h"
#include "core/os/missing.h"
#include "core/os/process.h"
#include "core/os/self.h"
#include "crash/threads/tasks.h"
#include "format/glob.h"
#include "trace/system/system_slots.h"
#include "trace/sleds/hold_threads.h"
#include "trace/system/dispatch_actions.h"
#include "trace/system/dispatch_handler.h"
#include "trace/system/dispatch_signals.h"
#include "trace/system/dispatch_tell.h"
#include "trace/system/dispatch_thread.h"

/* The calls of all code between LO and HI are this library's. */
static void find_own_code(void)
{
	const struct wcm_undispatched code = wcm__arch_undispatched_code();
	struct wcm_module module;

	wcm__system_arming.lo = code.lo;
	wcm__system_arming.size = code.hi - code.lo;
	if (!wcm__module_find_live(&module, code.lo) ||
	    (uintptr_t)module.phdr == wcm__auxv(AT_PHDR) || module.text_hi <= code.hi)
		return;
	wcm__system_arming.lo = module.text_lo;
	wcm__system_arming.size = module.text_hi - module.text_lo;
}

/* Of a call with a name. */
static bool choose(const char *globs, long number, uint64_t *seen)
{
	const char *name = wcm__system_name(number);

	return wcm__globs_choose(globs, name, strlen(name), wcm__system_classes(number), seen);
}

static size_t want(const char *globs, uint64_t *seen)
{
	size_t count = 0;

	for (long number = 0; number < WCM_SYSTEM_CALLS; number++) {
		const char *name = wcm__system_name(number);
		const bool is_wanted = globs && name && choose(globs, number, seen);

		wcm__system_wanted.is_wanted[number] = is_wanted;
		wcm__system_wanted.was_traced[number] = false;
		count += is_wanted;
	}
	return count;
}

uint64_t wcm__system_calls_traced(const char *globs)
{
	uint64_t seen = 0;

	for (long number = 0; number < WCM_SYSTEM_CALLS; number++)
		if (wcm__system_name(number) && wcm__system_wanted.was_traced[number])
			choose(globs, number, &seen);
	return seen;
}

/* A thread with MASK, of which what is kept is taken, is to believe that it has it all. */
static void believe(uint64_t mask)
{
	if (!wcm__system_own.is_armed)
		wcm__system_own.blocked = (uint32_t)(mask & wcm__system_kept);
}

static void arm_held(void *ucontext)
{
	const uint64_t mask = wcm__mask_interrupted(ucontext);

	believe(mask);
	wcm__mask_return(ucontext, mask & ~wcm__system_kept);
	wcm__system_arm();
}

static void disarm_held(void *ucontext)
{
	if (!wcm__system_own.is_armed)
		return;
	wcm__mask_return(ucontext, wcm__mask_interrupted(ucontext) | wcm__system_own.blocked);
	wcm__system_signals_wait_there();
	wcm__system_disarm();
}

/* Where a thread cannot be held the signal stays ours: its next call comes by it. */
static void disarm_all(void)
{
	int tid;

	if (!wcm__threads_hold(disarm_held, &tid))
		return;
	wcm__threads_release();
	if (wcm__system_own.is_armed) {
		wcm__system_disarm();
		wcm__mask_add(wcm__system_own.blocked);
		wcm__system_signals_wait_there();
	}
	wcm__system_signals_give_back();
}

/* A thread that finds it off sees who is still about it. */
static void turn_off(void)
{
	uint32_t nobody = 0;

	if (!__atomic_compare_exchange_n(&wcm__system_wanted.turner, &nobody,
					 (uint32_t)wcm__thread_id(), false, __ATOMIC_SEQ_CST,
					 __ATOMIC_SEQ_CST))
		return;
	if (__atomic_exchange_n(&wcm__system_wanted.is_on, false, __ATOMIC_SEQ_CST))
		disarm_all();
	__atomic_store_n(&wcm__system_wanted.turner, 0, __ATOMIC_SEQ_CST);
}

static void turn_off_in_handler(void *ucontext)
{
	disarm_held(ucontext);
	turn_off();
}

static long arm_all(int *tid)
{
	long error;

	believe(wcm__mask_now());
	error = wcm__system_arm();
	if (error != 0)
		return error;
	if (!wcm__threads_hold(arm_held, tid))
		return -ESRCH;
	wcm__threads_release();
	return 0;
}

long wcm__system_calls_on(const char *globs, uint64_t *seen, int *tid)
{
	uintptr_t thread_pointer;
	long error;

	*tid = 0;
	*seen = UINT64_MAX;
	if (wcm__arch_undispatched_code().lo == 0 ||
	    !wcm__arch_thread_pointer_get(&thread_pointer))
		return -ENOSYS;
	wcm__system_wanted.leaves_tracers = globs;
	if (globs && wcm__task_is_traced())
		return -EBUSY;
	*seen = 0;
	if (want(globs, seen) == 0 && globs)
		return -ENOENT;
	if (!wcm__system_slots_name())
		return -ENOMEM;
	find_own_code();
	wcm__system_arming.selector =
		(ptrdiff_t)((uintptr_t)&wcm__system_own.selector - thread_pointer);
	wcm__system_signal_keep(SIGSYS, wcm__system_dispatched);
	error = wcm__system_signals_take();
	if (error != 0)
		return error;
	wcm__system_actions_without();
	wcm__system_wanted.off = turn_off_in_handler;
	wcm__system_wanted.is_filtered = false;
	__atomic_store_n(&wcm__system_wanted.is_on, true, __ATOMIC_RELEASE);
	error = arm_all(tid);
	if (error != 0 && error != -ESRCH)
		wcm__system_calls_off();
	return error;
}

void wcm__system_calls_off(void)
{
	if (wcm__system_own.child == 0)
		turn_off();
}

bool wcm__system_calls_are_on(void)
{
	return wcm__system_own.is_armed &&
	       __atomic_load_n(&wcm__system_wanted.is_on, __ATOMIC_ACQUIRE);
}

bool wcm__system_calls_tell_of_fork(void)
{
	return wcm__system_calls_are_on() &&
	       (wcm__system_is_told(SYS_clone) || wcm__system_is_told(SYS_fork));
}

void wcm__system_calls_pause(void)
{
	if (wcm__system_own.pauses++ == 0)
		__atomic_store_n(&wcm__system_own.selector, WCM_DISPATCH_ALLOWS, __ATOMIC_SEQ_CST);
}

/* What the library does meanwhile may have taken the signal, for crashes. */
void wcm__system_calls_resume(void)
{
	if (--wcm__system_own.pauses > 0 || !wcm__system_own.is_armed)
		return;
	if (wcm__system_signals_take() == 0)
		__atomic_store_n(&wcm__system_own.selector, WCM_DISPATCH_BLOCKS, __ATOMIC_SEQ_CST);
}

void wcm__system_calls_hide_return(void)
{
	wcm__system_own.hides_return = wcm__system_own.is_armed;
}

uint64_t wcm__system_calls_mask(uint64_t mask)
{
	return wcm__system_own.is_armed ? mask & ~wcm__system_kept : mask;
}

void wcm__system_calls_at_loss(void (*lose)(void))
{
	wcm__system_wanted.at_loss = lose;
}

void wcm__system_calls_at_end(void (*finish)(void), void (*exec)(void))
{
	wcm__system_wanted.at_end = finish;
	wcm__system_wanted.at_exec = exec;
}

void wcm__system_calls_at_rights(bool (*before)(long number, const long *argument),
				 void (*after)(void))
{
	wcm__system_wanted.after_rights = after;
	wcm__system_wanted.before_rights = before;
}
