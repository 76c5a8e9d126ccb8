/* SPDX-License-Identifier: MIT */
/* leave.c - interposes _exit(2) and _Exit(3), which end a process and run no destructors.
 *
 * They are interposed in the shared library only; a static program has libc's own.  Signal
 * handlers call them, and children of vfork(2).
 */
#ifdef PIC /* libtool's word for what goes into a shared library */

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/os/process.h"
#include "trace/stop/process_end.h"
#include "whocallme/base.h"

typedef void leaver(int status);

static leaver *real;

/* Before it is called where dlsym(3) may not be. */
__attribute__((constructor)) static void find_real(void)
{
	/* ISO C has no cast from an object's to a function's address. */
	*(void **)&real = dlsym(RTLD_NEXT, "_exit");
}

WCM_API _Noreturn void _exit(int status)
{
	if (!wcm__process_end_comes_later())
		wcm__process_end_finish();
	if (real)
		real(status);
	for (;;)
		wcm__exit_group(status);
}

WCM_API _Noreturn void _Exit(int status)
{
	_exit(status);
}

#endif
