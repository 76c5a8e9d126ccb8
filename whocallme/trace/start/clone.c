/* SPDX-License-Identifier: MIT */
/* clone.c - interposes clone(), so that a thread which is about to share its thread-local variables
 * with another is known as the one that they are of.
 *
 * It is interposed in the shared library only.
 */
#ifdef PIC /* libtool's word for what goes into a shared library */

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stddef.h>

#include "trace/engine/sharing.h"
#include "whocallme/base.h"

static int (*real)(int (*function)(void *), void *stack, int flags, void *argument, ...);

/* Before it is called where dlsym(3) may not be. */
__attribute__((constructor(101))) static void find_real(void)
{
	*(void **)&real = dlsym(RTLD_NEXT, "clone");
}

WCM_API int clone(int (*function)(void *), void *stack, int flags, void *argument, ...);
WCM_API int clone(int (*function)(void *), void *stack, int flags, void *argument, ...)
{
	const unsigned long shares = (unsigned long)flags & (CLONE_VM | CLONE_VFORK | CLONE_SETTLS);
	void *words[3];
	va_list more;

	if (!real)
		find_real();
	if (!real) {
		errno = ENOSYS;
		return -1;
	}
	va_start(more, argument);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		words[i] = va_arg(more, void *);
	va_end(more);
	if (shares == CLONE_VM)
		wcm__sharing_begins();
	return real(function, stack, flags, argument, words[0], words[1], words[2]);
}

#endif
