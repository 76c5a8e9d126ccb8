/* SPDX-License-Identifier: MIT */
/* rights.c - interposes the calls by which a process gives up rights, so that a trace opens first
 * what it could not open after them, and no thread of the library's keeps what the program has
 * given up.
 *
 * libc has its own threads make a change of user or groups, too.  It does not know the thread of a
 * recording, and ends the process where another thread may not what the calling one may, as after
 * PR_SET_KEEPCAPS, which is a thread's.  Capabilities are each thread's own.  So the library's
 * threads end before such a call, and begin again with what the caller has left.
 *
 * They are interposed in the shared library only.  Children of vfork(2) and signal handlers call
 * them.  prctl(2), by which a filter of system calls or of files is preceded, is in
 * watch/signals.c.
 */
#ifdef PIC /* libtool's word for what goes into a shared library */

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

#include "front/library_thread.h"
#include "trace/process/process_end.h"
#include "trace/process/readers.h"
#include "whocallme/base.h"

#define USER WCM_GIVES_UP_USER
#define PATHS WCM_GIVES_UP_PATHS
#define CALLS(X)                                                                               \
	X(USER, setuid, (uid_t user), (user))                                                 \
	X(USER, seteuid, (uid_t user), (user))                                                \
	X(USER, setreuid, (uid_t user, uid_t now), (user, now))                               \
	X(USER, setresuid, (uid_t user, uid_t now, uid_t saved), (user, now, saved))          \
	X(USER, setgid, (gid_t group), (group))                                               \
	X(USER, setegid, (gid_t group), (group))                                              \
	X(USER, setregid, (gid_t group, gid_t now), (group, now))                             \
	X(USER, setresgid, (gid_t group, gid_t now, gid_t saved), (group, now, saved))        \
	X(USER, setfsuid, (uid_t user), (user))                                               \
	X(USER, setfsgid, (gid_t group), (group))                                             \
	X(USER, setgroups, (size_t count, const gid_t *groups), (count, groups))              \
	X(USER, initgroups, (const char *user, gid_t group), (user, group))                   \
	X(USER, capset, (void *header, const void *sets), (header, sets))                     \
	X(PATHS, chroot, (const char *path), (path))

static struct {
#define X(what, name, takes, given) int (*name) takes;
	CALLS(X)
#undef X
} real;

/* Before they are called where dlsym(3) may not be.  ISO C has no cast from an object's to a
 * function's address. */
__attribute__((constructor(101))) static void find_real(void)
{
#define X(what, name, takes, given) *(void **)&real.name = dlsym(RTLD_NEXT, #name);
	CALLS(X)
#undef X
	wcm__process_end_is_told = true;
}

/* The constructor of a library may come before ours. */
static void be_ready(void)
{
	if (!real.setuid)
		find_real();
}

/* Headers declare some, and not each. */
#define X(what, name, takes, given)                                                        \
	WCM_API int name takes;                                                               \
	WCM_API int name takes                                                                \
	{                                                                                     \
		const int before = errno;                                                     \
		int result, after;                                                            \
		bool has_rested;                                                              \
                                                                                              \
		be_ready();                                                                   \
		wcm__process_end_give_up(what);                                               \
		has_rested = (what) == USER && wcm__own_threads_rest();                       \
		errno = before;                                                               \
		result = real.name given;                                                     \
		after = errno;                                                                \
		wcm__readers_look();                                                          \
		if (has_rested)                                                               \
			wcm__own_threads_go_on();                                             \
		errno = after;                                                                \
		return result;                                                                \
	}
CALLS(X)
#undef X

#endif
