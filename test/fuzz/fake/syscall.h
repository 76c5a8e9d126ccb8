/* SPDX-License-Identifier: MIT */
/* syscall.h - in place of arch/CPU/syscall.h: the fuzzer is the kernel. */
#ifndef FUZZ_FAKE_SYSCALL_H
#define FUZZ_FAKE_SYSCALL_H

#include <sys/syscall.h>

long fuzz_syscall(long number, long a, long b, long c, long d);

static inline long wcm__syscall(long number, long a, long b, long c, long d, long e,
				long f)
{
	(void)e, (void)f;
	return fuzz_syscall(number, a, b, c, d);
}

#endif
