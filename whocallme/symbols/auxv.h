/* SPDX-License-Identifier: MIT */
/* auxv.h - what the kernel told the process at its start. */
#ifndef WCM_SYMBOLS_AUXV_H
#define WCM_SYMBOLS_AUXV_H

#include <errno.h>
#include <sys/auxv.h>

/* getauxval(3), which sets errno where the kernel did not say: valgrind and
 * machines started with vdso=0 have no AT_SYSINFO_EHDR. */
static inline unsigned long wcm__auxv(unsigned long type)
{
	int kept = errno;
	unsigned long value = getauxval(type);

	errno = kept;
	return value;
}

#endif
