/* SPDX-License-Identifier: MIT */
/* missing.h (SAFE) - supplies the names that some libcs, or the headers of older kernels, lack.
 *
 * The kernel that runs the program may be newer than the headers it was built with, and
 * older too: who uses a name from here has an answer to its refusal.
 */
#ifndef WCM_OS_MISSING_H
#define WCM_OS_MISSING_H

#include <signal.h>
#include <stdbool.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

/* Linux 4.7; libcs' <signal.h> has it not. */
#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1U << 31)
#endif

/* Linux 5.9.  Its number is not that of every CPU; every kernel refuses -1. */
#ifndef SYS_close_range
#define SYS_close_range (-1)
#endif

/* A kernel for a CPU that is younger than renameat2(2) has that alone, whose last argument says
 * that it is to be the same. */
#ifndef SYS_renameat
#define SYS_renameat SYS_renameat2
#endif

/* Numbers that not every CPU has: no call's, each another. */
#ifndef SYS_fork
#define SYS_fork (-2)
#endif
#ifndef SYS_vfork
#define SYS_vfork (-3)
#endif
#ifndef SYS_arch_prctl
#define SYS_arch_prctl (-4)
#endif

/* musl, on CPUs of 32 bits, has the calls with the kernel's own times by names of its own. */
#ifndef SYS_clock_gettime
#define SYS_clock_gettime SYS_clock_gettime32
#endif
#ifndef SYS_timer_settime
#define SYS_timer_settime SYS_timer_settime32
#endif

/* Linux 4.17: older kernels take the address for a wish. */
#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

/* Linux 6.3 */
#ifndef PR_GET_MDWE
#define PR_GET_MDWE 66
#endif

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* Whether the process has one thread, where libc says that without a system call; false
 * where it does not say. */
static inline bool wcm__has_one_thread(void)
{
#if __has_include(<sys/single_threaded.h>)
	return __libc_single_threaded;
#else
	return false;
#endif
}

#endif
