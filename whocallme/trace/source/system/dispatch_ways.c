/* SPDX-License-Identifier: MIT */
/* dispatch_ways.c (SAFE) - which system calls are not made like most. */
#include "trace/source/system/dispatch_ways.h"

#include <signal.h>
#include <sys/prctl.h>

#include "core/os/missing.h"
#include "core/os/process.h"
#include "core/os/read.h"
#include "core/os/self.h"
#include "trace/source/system/dispatch_thread.h"

enum { SET_THREAD_POINTER = 0x1002, TRACE_ME = 0 /* PTRACE_TRACEME */ };
enum { STRICT = 1, FILTER = 2 }; /* SECCOMP_MODE_*, one more than seccomp(2) has them */

enum { BELOW = 8 << 10 }; /* bytes that the handler may take yet */

/* Whether the call changes memory that the handler, or who it returns to, stands on. */
static bool changes_stack(const struct wcm_dispatched *call)
{
	const uintptr_t lo = (uintptr_t)__builtin_frame_address(0) - BELOW;
	const uintptr_t at = (uintptr_t)call->argument[0], size = (uintptr_t)call->argument[1];

	if (lo > call->at.sp || call->at.sp - lo > 4 * BELOW) /* another stack */
		return call->at.sp - at < size || (at < lo + 2 * BELOW && at + size > lo);
	return at <= call->at.sp && at + size > lo;
}

/* Whether the kernel may do it: libraries ask what it knows by calls that it has to refuse. */
static bool filters(unsigned mode, unsigned flags, uintptr_t program)
{
	uint64_t words[2];

	return mode == STRICT ? flags == 0 && program == 0
			      : mode == FILTER && wcm__read_memory(program, words, sizeof(words));
}

static enum wcm_way way_of_prctl(const struct wcm_dispatched *call)
{
	const unsigned mode = (unsigned)call->argument[1];

	if (call->argument[0] == WCM_DISPATCH)
		return WCM_WAY_HAND_OVER;
	if (call->argument[0] == PR_SET_SECCOMP &&
	    filters(mode, 0, mode == STRICT ? 0 : (uintptr_t)call->argument[2]))
		return WCM_WAY_FILTER;
	return WCM_WAY_USUAL;
}

/* A tracer attaches to a thread that waits for it so. */
static bool stops_itself(const struct wcm_dispatched *call)
{
	const long target = call->argument[0];

	switch (call->number) {
	case SYS_kill:
		return call->argument[1] == SIGSTOP && target == wcm__process_id();
	case SYS_tkill:
		return call->argument[1] == SIGSTOP && target == wcm__thread_id();
	default:
		return call->argument[2] == SIGSTOP && call->argument[1] == wcm__thread_id();
	}
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
	case SYS_ptrace:
		return call->argument[0] == TRACE_ME ? WCM_WAY_STOP : WCM_WAY_USUAL;
	case SYS_kill:
	case SYS_tkill:
	case SYS_tgkill:
		return stops_itself(call) ? WCM_WAY_STOP : WCM_WAY_USUAL;
	case SYS_seccomp:
		return filters((unsigned)call->argument[0] + 1, (unsigned)call->argument[1],
			       (uintptr_t)call->argument[2]) ? WCM_WAY_FILTER : WCM_WAY_USUAL;
	case SYS_arch_prctl:
		return call->argument[0] == SET_THREAD_POINTER ? WCM_WAY_LET_GO : WCM_WAY_USUAL;
	default:
		return WCM_WAY_USUAL;
	}
}

bool wcm__system_is_writing(long number)
{
	switch (number) {
	case SYS_write: case SYS_writev: case SYS_pwrite64: case SYS_pwritev:
	case SYS_sendfile: case SYS_sendto: case SYS_sendmsg: case SYS_splice:
		return true;
	default:
		return false;
	}
}

bool wcm__system_is_quick(long number)
{
	switch (number) {
	case SYS_mmap: case SYS_munmap: case SYS_mprotect: case SYS_madvise: case SYS_mremap:
	case SYS_brk: case SYS_fstat: case SYS_lseek: case SYS_dup: case SYS_dup3:
	case SYS_pipe2: case SYS_getpid: case SYS_gettid: case SYS_getppid: case SYS_getuid:
	case SYS_geteuid: case SYS_getgid: case SYS_getegid: case SYS_getrusage:
	case SYS_prlimit64: case SYS_uname: case SYS_sysinfo: case SYS_times: case SYS_umask:
	case SYS_setsid: case SYS_getpgid: case SYS_setpgid: case SYS_set_robust_list:
	case SYS_set_tid_address: case SYS_getrandom: case SYS_sched_yield:
	case SYS_clock_gettime: case SYS_gettimeofday: case SYS_kill: case SYS_tkill:
	case SYS_tgkill: case SYS_rt_sigqueueinfo: case SYS_rt_tgsigqueueinfo:
	case SYS_timer_settime: case SYS_setitimer: case SYS_socket: case SYS_socketpair:
	case SYS_bind: case SYS_listen: case SYS_setsockopt: case SYS_getsockopt:
	case SYS_getsockname: case SYS_getpeername: case SYS_epoll_create1: case SYS_epoll_ctl:
	case SYS_eventfd2:
		return true;
	default:
		return false;
	}
}
