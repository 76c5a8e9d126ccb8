/* SPDX-License-Identifier: MIT */
/* rights.c - interposes the calls by which a process gives up rights, so that a trace opens first
 * what it could not open after them.
 *
 * They are interposed in the shared library only.  Children of vfork(2) and signal handlers call
 * them.  prctl(2) is what a filter of system calls or of files is preceded by.
 */
#ifdef PIC /* libtool's word for what goes into a shared library */

#include <dlfcn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/prctl.h>
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
	X(PATHS, chroot, (const char *path), (path))                                          \
	X(PATHS, unshare, (int flags), (flags))                                               \
	X(PATHS, setns, (int fd, int kind), (fd, kind))

static struct {
#define X(what, name, takes, given) int (*name) takes;
	CALLS(X)
#undef X
	int (*prctl)(int operation, ...);
} real;

/* Before they are called where dlsym(3) may not be.  ISO C has no cast from an object's to a
 * function's address. */
__attribute__((constructor(101))) static void find_real(void)
{
#define X(what, name, takes, given) *(void **)&real.name = dlsym(RTLD_NEXT, #name);
	CALLS(X)
#undef X
	*(void **)&real.prctl = dlsym(RTLD_NEXT, "prctl");
	wcm__process_end_is_told = true;
}

/* The constructor of a library may come before ours. */
static void be_ready(void)
{
	if (!real.prctl)
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

WCM_API int prctl(int operation, ...)
{
	unsigned long value[4];
	va_list values;

	be_ready();
	va_start(values, operation);
	for (int i = 0; i < 4; i++)
		value[i] = va_arg(values, unsigned long);
	va_end(values);
	if (operation == PR_SET_NO_NEW_PRIVS || operation == PR_SET_SECCOMP ||
	    operation == PR_CAPBSET_DROP)
		wcm__process_end_give_up(WCM_GIVES_UP_CALLS);
	return real.prctl(operation, value[0], value[1], value[2], value[3]);
}

#endif
