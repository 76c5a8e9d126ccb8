/* SPDX-License-Identifier: MIT */
/* one_thread.c - ends the library's threads while the program makes a call that the kernel refuses
 * to a process of several threads, by interposing unshare() and setns(), or that changes what a
 * thread may (front/rights.c).
 *
 * These are user namespaces, and others by setns(2).  The call is made first as it is: what the
 * kernel grants changes nothing, nor does a call that fails for threads of the program's.  A call
 * that moves the first thread, or the only one, to other namespaces is made without those threads
 * at once, and they begin again there, so that none keeps what the program leaves; but not where
 * no thread can begin behind it, as for namespaces of processes.  They are
 * interposed in the shared library only.  Children of vfork(2) call them, too, which have none of
 * these threads.
 */
#ifdef PIC /* libtool's word for what goes into a shared library */
#include "front/library_thread.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>

#include "agent/agent.h"
#include "core/os/clock.h"
#include "core/os/owner.h"
#include "core/os/self.h"
#include "crash/threads/own_threads.h"
#include "front/watchdog_rest.h"
#include "trace/process/process_end.h"
#include "trace/process/readers.h"
#include "trace/record/prefault.h"
#include "trace/system/system_calls.h"
#include "whocallme/base.h"

/* Headers declare them only where they have extensions. */
WCM_API int unshare(int flags);
WCM_API int setns(int fd, int kind);

enum { PAUSE = 1000000, MOST_TRIES = 1000 }; /* nanoseconds; a second in all */

static struct {
	int (*unshare)(int flags);
	int (*setns)(int fd, int kind);
} real;

static const struct {
	int (*count)(void);
	void (*rest)(void);
	void (*go_on)(void);
} ours[] = {
	{ wcm__agent_count, wcm__agent_rest, wcm__agent_go_on },
	{ wcm__watchdog_count, wcm__watchdog_rest, wcm__watchdog_go_on },
	{ wcm__prefault_count, wcm__prefault_rest, wcm__prefault_go_on },
};
enum { KINDS = sizeof(ours) / sizeof(*ours) };

/* Before they are called where dlsym(3) may not be.  ISO C has no cast from an object's to a
 * function's address. */
__attribute__((constructor(101))) static void find_real(void)
{
	*(void **)&real.unshare = dlsym(RTLD_NEXT, "unshare");
	*(void **)&real.setns = dlsym(RTLD_NEXT, "setns");
}

static int unshare_as_setns(int flags, int unused)
{
	(void)unused;
	return real.unshare(flags);
}

static struct wcm_owner resting;

static int count_ours(void)
{
	int count = 0;

	for (int i = 0; i < KINDS; i++)
		count += ours[i].count();
	return count;
}

/* Whether the process has threads of the library's and, as far as /proc says, one besides. */
static bool is_other_threads_ours(void)
{
	const int all = wcm__own_threads_and_others(), count = count_ours();

	return count > 0 && (all == 0 || all == count + 1);
}

/* A thread that libc has seen end may be the kernel's for a moment more. */
bool wcm__own_threads_rest(void)
{
	const int all = wcm__own_threads_and_others(), count = count_ours();

	if (count == 0 ||
	    wcm__owner_take(&resting, UINT64_MAX, wcm__owner_has_ended) != WCM_OWNED)
		return false;
	wcm__system_calls_pause();
	for (int i = 0; i < KINDS; i++)
		ours[i].rest();
	for (int i = 0; i < MOST_TRIES && wcm__own_threads_and_others() > all - count; i++)
		wcm__nanosleep(PAUSE);
	wcm__system_calls_resume();
	return true;
}

void wcm__own_threads_go_on(void)
{
	wcm__system_calls_pause();
	for (int i = 0; i < KINDS; i++)
		ours[i].go_on();
	wcm__system_calls_resume();
	wcm__owner_give_back(&resting);
}

static int with_one_thread(int (*call)(int a, int b), int a, int b)
{
	int kept = errno, result = call(a, b);

	if (result == 0 || (errno != EINVAL && errno != EUSERS) || !is_other_threads_ours() ||
	    !wcm__own_threads_rest())
		return result;
	errno = kept;
	result = call(a, b);
	kept = errno;
	wcm__own_threads_go_on();
	errno = kept;
	return result;
}

/* Whether the library's threads are to follow into namespaces of these kinds. */
static bool are_followed(int kinds)
{
	enum { FOLLOWED = CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS |
			  CLONE_NEWCGROUP | CLONE_NEWUSER,
	       TIME = 0x80 /* CLONE_NEWTIME */ };

	return (kinds & FOLLOWED) && !(kinds & (CLONE_NEWPID | TIME)) &&
	       (wcm__thread_id() == wcm__process_id() || is_other_threads_ours());
}

static int change_namespaces(int (*call)(int a, int b), int a, int b, int kinds)
{
	const int before = errno;
	int result, kept;
	bool has_rested;

	wcm__process_end_give_up(WCM_GIVES_UP_PATHS);
	has_rested = are_followed(kinds) && wcm__own_threads_rest();
	errno = before;
	result = has_rested ? call(a, b) : with_one_thread(call, a, b);
	kept = errno;
	if (has_rested)
		wcm__own_threads_go_on();
	wcm__readers_look();
	errno = kept;
	return result;
}

WCM_API int unshare(int flags)
{
	if (!real.unshare) /* the constructor of a library may come before ours */
		find_real();
	return change_namespaces(unshare_as_setns, flags, 0, flags);
}

WCM_API int setns(int fd, int kind)
{
	const int before = errno;
	int kinds = kind;

	if (!real.setns)
		find_real();
	if (kind == 0 && count_ours() > 0)
		kinds = ioctl(fd, NS_GET_NSTYPE);
	errno = before;
	return change_namespaces(real.setns, fd, kind, kinds);
}

#endif
