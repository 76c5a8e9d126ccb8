/* SPDX-License-Identifier: MIT */
/* preload.c - the crash report for a program that knows nothing of it.
 *
 *	LD_PRELOAD=libwhocallme-preload.so program
 *
 * Links nothing but libc; names come from each module's mapped .dynsym.
 */
#include <sys/auxv.h>

#include "whocallme/crash.h"

__attribute__((constructor)) static void install_at_start(void)
{
	if (!getauxval(AT_SECURE))
		wcm_crash_install(NULL);
}

/* What the hooks refer to; nothing is traced from here. */
extern const char wcm__trace_control;
const char wcm__trace_control = 0;
