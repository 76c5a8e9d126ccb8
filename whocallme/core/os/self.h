/* SPDX-License-Identifier: MIT */
/* self.h (SAFE) - tells the ids of this process and thread.
 *
 * They are asked anew each time, because a child of fork(2) or vfork(2) has what its parent
 * remembered.  A seccomp filter may answer in the kernel's place, with an error or with 0,
 * and kill(2) takes either for many processes.  Then /proc is asked.  Where that does not
 * tell either, the id is 0, and no signal is sent by it but with tgkill(2), which refuses 0.
 */
#ifndef WCM_OS_SELF_H
#define WCM_OS_SELF_H

#include "core/os/file.h"

/* The first number of what /proc/thread-self leads to, "process/task/thread", or the
 * last. */
__attribute__((noinline, unused)) static int wcm__id_by_proc(bool last)
{
	char path[64];
	int id = 0;
	long size = wcm__readlinkat(AT_FDCWD, "/proc/thread-self", path, sizeof(path));

	if (size < 0 || size > (long)sizeof(path))
		return 0;
	for (long i = 0; i < size; i++) {
		if (path[i] >= '0' && path[i] <= '9')
			id = id * 10 + (path[i] - '0');
		else if (!last)
			break;
		else
			id = 0;
	}
	return id;
}

/* What the kernel, or its filter, says: in a child in a PID namespace of its own, too, whose
 * /proc counts otherwise. */
static inline int wcm__getpid(void)
{
	return (int)WCM_SYSCALL(SYS_getpid);
}

static inline int wcm__process_id(void)
{
	const int id = wcm__getpid();

	return id > 0 ? id : wcm__id_by_proc(false);
}

static inline int wcm__thread_id(void)
{
	const long id = WCM_SYSCALL(SYS_gettid);

	return id > 0 ? (int)id : wcm__id_by_proc(true);
}

/* False where that cannot be told. */
static inline bool wcm__is_first_thread(void)
{
	const int id = wcm__thread_id();

	return id > 0 && id == wcm__process_id();
}

#endif
