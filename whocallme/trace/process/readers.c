/* SPDX-License-Identifier: MIT */
/* readers.c (SAFE) - ends a trace that goes to another process when others may read this one
 * than did.
 *
 * A call that changes it ends the trace itself, before it is made or before it returns: the agent
 * would find out later.  It closes the gate and waits for hooks, and the agent does the rest.
 */
#include "trace/process/readers.h"

#include <sys/prctl.h>
#include <sys/syscall.h>

#include "core/os/process.h"
#include "trace/process/trace_stop.h"

static int readers;
static bool are_known, are_others;

int wcm__readers_now(void)
{
	return wcm__prctl(PR_GET_DUMPABLE, 0, 0);
}

void wcm__readers_begin(int dumpable)
{
	readers = dumpable;
	__atomic_store_n(&are_others, false, __ATOMIC_RELAXED);
	__atomic_store_n(&are_known, true, __ATOMIC_SEQ_CST);
}

void wcm__readers_forget(void)
{
	__atomic_store_n(&are_known, false, __ATOMIC_RELEASE);
}

static void will_be(int dumpable)
{
	if (!__atomic_load_n(&are_known, __ATOMIC_SEQ_CST) || dumpable == readers)
		return;
	__atomic_store_n(&are_others, true, __ATOMIC_SEQ_CST);
	wcm__trace_close();
}

void wcm__readers_look(void)
{
	if (__atomic_load_n(&are_known, __ATOMIC_SEQ_CST))
		will_be(wcm__readers_now());
}

bool wcm__readers_are_others(void)
{
	return __atomic_load_n(&are_others, __ATOMIC_ACQUIRE);
}

bool wcm__readers_call(long number, const long *argument)
{
	switch (number) {
	case SYS_prctl:
		if (argument[0] == PR_SET_DUMPABLE)
			will_be((int)argument[1]);
		return argument[0] == PR_SET_DUMPABLE;
	case WCM_SYS_IDS(setuid): case WCM_SYS_IDS(setgid): case WCM_SYS_IDS(setreuid):
	case WCM_SYS_IDS(setregid): case WCM_SYS_IDS(setresuid): case WCM_SYS_IDS(setresgid):
	case WCM_SYS_IDS(setfsuid): case WCM_SYS_IDS(setfsgid): case SYS_capset:
	case SYS_unshare: case SYS_setns:
	WCM_CASE_SHORT_IDS(setuid) WCM_CASE_SHORT_IDS(setgid)
	WCM_CASE_SHORT_IDS(setreuid) WCM_CASE_SHORT_IDS(setregid)
	WCM_CASE_SHORT_IDS(setresuid) WCM_CASE_SHORT_IDS(setresgid)
	WCM_CASE_SHORT_IDS(setfsuid) WCM_CASE_SHORT_IDS(setfsgid)
		return true;
	default:
		return false;
	}
}
