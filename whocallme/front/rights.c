/* SPDX-License-Identifier: MIT */
/* rights.c - interposes the calls by which a process gives up rights, so that a trace opens first
 * what it could not open after them.
 *
 * They are interposed in the shared library only.  Children of vfork(2) and signal handlers call
 * them.  prctl(2), by which a filter of system calls or of files is preceded, is in
 * watch/signals.c.
 */
#ifdef PIC /* libtool's word for what goes into a shared library */

#include <dlfcn.h>
#include <stdbool.h>
#include <unistd.h>

#include "trace/stop/process_end.h"
#include "whocallme/base.h"

#define USER WCM_GIVES_UP_USER
#define PATHS WCM_GIVES_UP_PATHS
#define CALLS(X)                                                                               \
	X(USER, setuid, (uid_t user), (user))                                                 \
	X(USER, seteuid, (uid_t user), (user))                                                \
	X(USER, setreuid, (uid_t user, uid_t now), (user, now))                               \
	X(USER, setresuid, (uid_t user, uid_t now, uid_t saved), (user, now, saved))          \
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
		be_ready();                                                                   \
		wcm__process_end_give_up(what);                                           \
		return real.name given;                                                       \
	}
CALLS(X)
#undef X

#endif
