/* SPDX-License-Identifier: MIT */
/* dispatch_ways.c - which system calls are not made like most. */
#include "trace/source/system/dispatch_ways.h"

#include <sys/prctl.h>

#include "core/os/missing.h"
#include "core/os/process.h"
#include "trace/source/system/dispatch_thread.h"

enum { SET_THREAD_POINTER = 0x1002, FILTERS = 1 /* SECCOMP_SET_MODE_FILTER */ };

enum { BELOW = 8 << 10 }; /* bytes that the handler may take yet */

/* Whether the call changes memory that the handler, or who it returns to, stands on. */
static bool changes_stack(const struct wcm_dispatched *call)
{
	const uintptr_t lo = (uintptr_t)__builtin_frame_address(0) - BELOW;
	const uintptr_t at = (uintptr_t)call->argument[0], size = (uintptr_t)call->argument[1];

	if (lo > call->at.sp || call->at.sp - lo > 4 * BELOW) /* another stack */
		return call->at.sp - at < size;
	return at <= call->at.sp && at + size > lo;
}

static enum wcm_way way_of_prctl(const struct wcm_dispatched *call)
{
	return call->argument[0] == WCM_DISPATCH    ? WCM_WAY_HAND_OVER
	       : call->argument[0] == PR_SET_SECCOMP ? WCM_WAY_FILTER
						     : WCM_WAY_USUAL;
}

enum wcm_way wcm__system_way(const struct wcm_dispatched *call)
{
	switch (call->number) {
	case SYS_rt_sigreturn:
		return WCM_WAY_RETURN;
	case SYS_execve:
	case SYS_execveat:
		return WCM_WAY_RUN;
	case SYS_exit:
	case SYS_exit_group:
		return WCM_WAY_END;
	case SYS_munmap:
	case SYS_mprotect:
	case SYS_mremap:
	case SYS_madvise:
		return changes_stack(call) ? WCM_WAY_LET_GO : WCM_WAY_USUAL;
	case SYS_prctl:
		return way_of_prctl(call);
	case SYS_seccomp:
		return call->argument[0] <= FILTERS ? WCM_WAY_FILTER : WCM_WAY_USUAL;
	case SYS_arch_prctl:
		return call->argument[0] == SET_THREAD_POINTER ? WCM_WAY_LET_GO : WCM_WAY_USUAL;
	default:
		return WCM_WAY_USUAL;
	}
}

bool wcm__system_is_writing(long number)
{
	return number == SYS_write || number == SYS_writev || number == SYS_pwrite64 ||
	       number == SYS_pwritev || number == SYS_sendfile || number == SYS_sendto ||
	       number == SYS_sendmsg || number == SYS_splice;
}

bool wcm__system_is_quick(long number)
{
	static const short quick[] = {
		SYS_mmap, SYS_munmap, SYS_mprotect, SYS_madvise, SYS_mremap, SYS_brk, SYS_fstat,
		SYS_lseek, SYS_dup, SYS_dup3, SYS_pipe2, SYS_getpid, SYS_gettid, SYS_getppid,
		SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_getrusage, SYS_prlimit64,
		SYS_uname, SYS_sysinfo, SYS_times, SYS_umask, SYS_setsid, SYS_getpgid, SYS_setpgid,
		SYS_set_robust_list, SYS_set_tid_address, SYS_getrandom, SYS_sched_yield,
		SYS_clock_gettime, SYS_gettimeofday, SYS_kill, SYS_tkill, SYS_tgkill,
		SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_timer_settime, SYS_setitimer,
		SYS_socket, SYS_socketpair, SYS_bind, SYS_listen, SYS_setsockopt, SYS_getsockopt,
		SYS_getsockname, SYS_getpeername, SYS_epoll_create1, SYS_epoll_ctl, SYS_eventfd2,
	};

	for (unsigned i = 0; i < sizeof(quick) / sizeof(*quick); i++)
		if (quick[i] == number)
			return true;
	return false;
}
