/* SPDX-License-Identifier: MIT */
/* thread_groups.h (SAFE) - gathers threads that have one stack, so that it is written once. */
#ifndef WCM_REPORT_THREAD_GROUPS_H
#define WCM_REPORT_THREAD_GROUPS_H

#include "crash/report/form.h"

/* The COUNT threads of ALIKE have the stack of THREAD, the first of them. */
typedef void wcm_alike_writer(const struct wcm_thread *thread, const struct wcm_alike *alike,
			      size_t count, void *data);

/* There are no threads yet.  For one thread at a time. */
void wcm__thread_groups_begin(void);

/* Take THREAD; WRITE those that were taken first, if there is no room. */
void wcm__thread_groups_add(const struct wcm_thread *thread, wcm_alike_writer *write,
			    void *data);

/* Pass the groups to WRITE, in the order of their first threads, and forget them. */
void wcm__thread_groups_write(wcm_alike_writer *write, void *data);

#endif
