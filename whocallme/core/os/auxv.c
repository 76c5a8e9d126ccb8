/* SPDX-License-Identifier: MIT */
/* auxv.c (SAFE) - asks libc what the kernel told the process at its start. */
#include "core/os/auxv.h"

#include <errno.h>

/* getauxval(3) sets errno where the kernel did not say: valgrind and machines started with vdso=0
 * have no AT_SYSINFO_EHDR. */
unsigned long wcm__auxv_ask(unsigned long type)
{
	const int kept = errno;
	const unsigned long value = getauxval(type);

	errno = kept;
	return value;
}
