/* SPDX-License-Identifier: MIT */
/* threads.c - the stacks of all threads but our own. */
#include "crash/threads.h"

bool wcm__threads_prepare(void)
{
	return false;
}

void wcm__threads_arm(void)
{
}

bool wcm__threads_visit(uint64_t deadline, wcm_thread_visitor *visit, void *data)
{
	(void)deadline, (void)visit, (void)data;
	return false;
}

void wcm__thread_name(int tid, char name[WCM_THREAD_NAME])
{
	(void)tid;
	name[0] = '\0';
}
