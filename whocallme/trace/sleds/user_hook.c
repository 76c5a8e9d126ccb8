/* SPDX-License-Identifier: MIT */
/* user_hook.c (SAFE) - calls the program's own function at an entry.
 *
 * All registers are kept by who calls this, and errno is here.  What the function calls is
 * neither traced nor told to it: it would call itself for ever.
 */
#include "trace/sleds/user_hook.h"

#include <errno.h>
#include <stddef.h>

#include "core/arch/arch.h"
#include "trace/engine/hook_frame.h"

const struct wcm_user_hook *wcm__user_hook;

__thread uintptr_t wcm__user_hook_inside __attribute__((tls_model("initial-exec")));

/* How the call of the hook that was made last is found on the stack. */
static __thread struct { uintptr_t sp, pc; } hook_caller
	__attribute__((tls_model("initial-exec")));

/* A hook that was left by longjmp(3) is not on the stack. */
bool wcm__user_hook_calls(const struct wcm_regs *at)
{
	struct wcm_walk walk;

	if (!wcm__hook_frame_walk(&walk, at))
		return true;
	for (; walk.stop == WCM_STOP_NONE && walk.regs.sp < wcm__user_hook_inside;
	     wcm__walk_next(&walk))
		if (walk.regs.sp == hook_caller.sp && walk.regs.pc == hook_caller.pc)
			return true;
	if (walk.stop != WCM_STOP_NONE && walk.stop != WCM_STOP_OUTERMOST)
		return true;
	wcm__user_hook_inside = 0;
	return false;
}

__attribute__((noinline)) void wcm__user_hook_call(const struct wcm_user_hook *hook,
						    uintptr_t func, uintptr_t site,
						    uintptr_t sp)
{
	const struct wcm_entry entry = { .func = func, .site = site, .sp = sp,
					 .data = hook->data };
	const struct wcm_regs caller = WCM_ARCH_CALLER();
	int error;

	hook_caller.sp = caller.sp;
	hook_caller.pc = caller.pc;
	wcm__user_hook_inside = sp;
	error = errno; /* inside: where it is, a function of the program's may tell */
	hook->function(&entry);
	errno = error;
	wcm__user_hook_inside = 0;
}
