/* SPDX-License-Identifier: MIT */
/* self.h - which process and thread is this?
 *
 * Asked anew each time: a child of fork(2) or vfork(2) has what its parent knew.
 */
#ifndef WCM_UNWIND_SELF_H
#define WCM_UNWIND_SELF_H

#include <stdbool.h>

#include "syscall.h"

static inline int wcm__process_id(void)
{
	return (int)wcm__syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

static inline int wcm__thread_id(void)
{
	return (int)wcm__syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
}

static inline bool wcm__is_first_thread(void)
{
	return wcm__thread_id() == wcm__process_id();
}

#endif
