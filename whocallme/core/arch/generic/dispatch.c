/* SPDX-License-Identifier: MIT */
/* generic/dispatch.c (SAFE) - a CPU whose system calls are not dispatched to a handler. */
#include "core/arch/arch.h"

#include <errno.h>

long wcm__arch_undispatched(long number, const long argument[6])
{
	(void)number, (void)argument;
	return -ENOSYS;
}

long wcm__arch_undispatched_open(long number, const long argument[6], const uint64_t masks[2],
				 const void *ucontext)
{
	(void)masks, (void)ucontext;
	return wcm__arch_undispatched(number, argument);
}

bool wcm__arch_undispatched_shown(const void *ucontext, void *shown)
{
	(void)ucontext, (void)shown;
	return false;
}

struct wcm_undispatched wcm__arch_undispatched_code(void)
{
	return (struct wcm_undispatched){ 0 };
}

void wcm__arch_dispatched(struct wcm_dispatched *call, const void *ucontext)
{
	(void)ucontext;
	*call = (struct wcm_dispatched){ .number = -1 };
}

bool wcm__arch_dispatches(const siginfo_t *info)
{
	(void)info;
	return false;
}

void wcm__arch_dispatched_result(void *ucontext, long result)
{
	(void)ucontext, (void)result;
}

void wcm__arch_dispatched_pass(void *ucontext, uintptr_t code)
{
	(void)ucontext, (void)code;
}

void wcm__arch_dispatched_again(void *ucontext)
{
	(void)ucontext;
}

size_t wcm__arch_pass_make(uint8_t page[WCM_PASS_MOST], uintptr_t site, bool arms_child,
			   const struct wcm_arming *arming)
{
	(void)page, (void)site, (void)arms_child, (void)arming;
	return 0;
}

long wcm__arch_passed(void *ucontext, uintptr_t *site, uintptr_t *sp)
{
	(void)ucontext;
	*site = *sp = 0;
	return -ENOSYS;
}
