/* SPDX-License-Identifier: MIT */
/* dispatch_actions.c (SAFE) - answers what the program asks and sets of the actions of its signals.
 *
 * Where an action of this library's is in the kernel, the program's is kept elsewhere: by
 * crash/signals/chain.c, or for signals that calls or probes are dispatched by, in
 * dispatch_signals.c.  Any other action is the kernel's, but its mask goes there without what is
 * kept.
 */
#include "trace/system/dispatch_actions.h"

#include <errno.h>
#include <signal.h>

#include "core/os/kernel_action.h"
#include "core/os/mask.h"
#include "core/os/memory.h"
#include "core/os/read.h"
#include "crash/signals/chain.h"
#include "trace/system/dispatch_cancel.h"
#include "trace/system/dispatch_thread.h"

/* By signal, what of its action's mask is kept, and so not in the kernel's. */
static uint64_t left_out[_NSIG];

static bool is_kept(int signal)
{
	return signal > 0 && signal < _NSIG && (wcm__system_kept & WCM_MASK_OF(signal));
}

void wcm__system_actions_without(void)
{
	for (int signal = 1; signal < _NSIG; signal++) {
		struct wcm_kernel_action now = wcm__kernel_action(signal);

		if (is_kept(signal) || now.handler == UINTPTR_MAX ||
		    now.handler <= (uintptr_t)SIG_IGN ||
		    (!wcm__cancel_take(signal, &now) && !(now.mask & wcm__system_kept)))
			continue;
		left_out[signal] = now.mask & wcm__system_kept;
		now.mask &= ~wcm__system_kept;
		wcm__kernel_action_set(signal, &now, NULL);
	}
}

static long exchange_in_kernel(int signal, struct wcm_kernel_action *action,
			       struct wcm_kernel_action *before)
{
	const bool is_known = signal > 0 && signal < _NSIG;
	const uint64_t out = is_known ? __atomic_load_n(&left_out[signal], __ATOMIC_RELAXED) : 0;
	const uint64_t mask = action ? action->mask & wcm__system_kept : 0;
	long result;

	if (action)
		action->mask &= ~wcm__system_kept;
	result = wcm__kernel_action_set(signal, action, before);
	if (result != 0)
		return result;
	before->mask |= out & wcm__system_kept;
	if (action && is_known && wcm__system_own.child == 0)
		__atomic_store_n(&left_out[signal], mask, __ATOMIC_RELAXED);
	wcm__cancel_show(signal, before);
	return result;
}

static bool exchange_in_chain(int signal, struct wcm_kernel_action *action,
			      struct wcm_kernel_action *before)
{
	struct wcm_kernel_action now;

	if (!action)
		return wcm__chain_ask(signal, before);
	if (wcm__system_own.child != 0 || !wcm__chain_change(signal, action, before))
		return false;
	before->mask |= left_out[signal] & wcm__system_kept;
	left_out[signal] = wcm__chain_ask(signal, &now) ? 0 : action->mask & wcm__system_kept;
	if (is_kept(signal))
		wcm__system_signal_chosen(signal);
	return true;
}

/* *BEFORE becomes what the program finds. */
static long exchange(int signal, struct wcm_kernel_action *action,
		     struct wcm_kernel_action *before)
{
	if (exchange_in_chain(signal, action, before))
		return 0;
	if (is_kept(signal)) {
		struct wcm_kernel_action *programs = wcm__chain_stand_in(signal);

		*before = *programs;
		if (action)
			*programs = wcm__chain_as_kernel(*action);
		if (action)
			wcm__system_signal_chosen(signal);
		return 0;
	}
	if (action)
		wcm__cancel_take(signal, action);
	return exchange_in_kernel(signal, action, before);
}

long wcm__system_change_action(const long argument[6])
{
	const uintptr_t set = (uintptr_t)argument[1], was = (uintptr_t)argument[2];
	struct wcm_kernel_action action = { 0 }, before = { 0 };
	long result;

	if (argument[3] != sizeof(action.mask))
		return -EINVAL;
	if (set && !wcm__read_memory(set, &action, sizeof(action)))
		return -EFAULT;
	result = exchange((int)argument[0], set ? &action : NULL, &before);
	if (result != 0)
		return result;
	return was && !wcm__write_memory(was, &before, sizeof(before)) ? -EFAULT : 0;
}
