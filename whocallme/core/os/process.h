/* SPDX-License-Identifier: MIT */
/* process.h (SAFE) - other processes and threads, and the limits and the end of this one.  See
 * kernel.h for where it may be called. */
#ifndef WCM_OS_PROCESS_H
#define WCM_OS_PROCESS_H

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "core/os/wide.h"

static inline unsigned wcm__geteuid(void)
{
	return (unsigned)WCM_SYSCALL(WCM_SYS_IDS(geteuid));
}

static inline int wcm__kill(int pid, int signal)
{
	return (int)WCM_SYSCALL(SYS_kill, pid, signal);
}

static inline int wcm__tgkill(int pid, int tid, int signal)
{
	return (int)WCM_SYSCALL(SYS_tgkill, pid, tid, signal);
}

static inline int wcm__rt_tgsigqueueinfo(int pid, int tid, int signal, siginfo_t *info)
{
	return (int)WCM_SYSCALL(SYS_rt_tgsigqueueinfo, pid, tid, signal, info);
}

/* Whether there is no such thread: a signal 0 is checked and not sent. */
static inline bool wcm__thread_is_gone(int pid, int tid)
{
	return wcm__tgkill(pid, tid, 0) == -ESRCH;
}

/* Whether both are alive and have the same memory; false, too, where the kernel does not tell. */
static inline bool wcm__memory_is_shared(int pid, int tid)
{
	enum { KCMP_VM = 1 };

	return WCM_SYSCALL(SYS_kcmp, pid, tid, KCMP_VM, 0, 0) == 0;
}

static inline int wcm__waitid(int id_type, int id, siginfo_t *info, int options)
{
	return (int)WCM_SYSCALL(SYS_waitid, id_type, id, info, options);
}

static inline int wcm__wait4(int pid, int *status, int options)
{
	return (int)WCM_SYSCALL(SYS_wait4, pid, status, options);
}

/* In a child of vfork(2), too; it returns an error or not at all. */
static inline int wcm__execve(const char *path, char *const argv[], char *const envp[])
{
	return (int)WCM_SYSCALL(SYS_execve, path, argv, envp);
}

static inline int wcm__execveat(int folder, const char *name, char *const argv[],
				char *const envp[], int flags)
{
	return (int)WCM_SYSCALL(SYS_execveat, folder, name, argv, envp, flags);
}

/* Of the calling thread; it returns where a filter forbids it. */
static inline void wcm__exit_thread(int status)
{
	WCM_SYSCALL(SYS_exit, status);
}

static inline void wcm__exit_group(int status)
{
	WCM_SYSCALL(SYS_exit_group, status);
}

static inline int wcm__process_group(void)
{
	return (int)WCM_SYSCALL(SYS_getpgid, 0);
}

static inline int wcm__setsid(void)
{
	return (int)WCM_SYSCALL(SYS_setsid);
}

/* Give the calling thread a table of descriptors of its own, a copy. */
static inline int wcm__unshare_files(void)
{
	enum { FILES = 0x400 /* CLONE_FILES */ };

	return (int)WCM_SYSCALL(SYS_unshare, FILES);
}

static inline int wcm__chdir(const char *path)
{
	return (int)WCM_SYSCALL(SYS_chdir, path);
}

static inline int wcm__prctl(int option, unsigned long a, unsigned long b)
{
	return (int)WCM_SYSCALL(SYS_prctl, option, a, b);
}

/* Syscall User Dispatch, since Linux 5.11: MODE is one of these, and *SELECTOR says whether a call
 * that is not made in the SIZE bytes at LO comes to a handler of SIGSYS. */
enum { WCM_DISPATCH = 59, WCM_DISPATCH_OFF = 0, WCM_DISPATCH_ON = 1, /* prctl(2)'s */
       WCM_DISPATCH_ALLOWS = 0, WCM_DISPATCH_BLOCKS = 1,             /* *SELECTOR's */
       WCM_DISPATCHED = 2 };                                         /* si_code */

static inline int wcm__dispatch(int mode, uintptr_t lo, size_t size, const uint8_t *selector)
{
	return (int)WCM_SYSCALL(SYS_prctl, WCM_DISPATCH, mode, lo, size, selector);
}

/* The calling thread's, 16 bytes. */
static inline void wcm__thread_name_get(char *name)
{
	wcm__prctl(PR_GET_NAME, (unsigned long)name, 0);
}

/* NULL: do not set it, or do not tell. */
static inline int wcm__prlimit(int resource, const struct rlimit *set, struct rlimit *was)
{
	return (int)WCM_SYSCALL(SYS_prlimit64, 0, resource, set, was);
}

/* How large the process may make a file.  0 where the kernel does not say. */
static inline uint64_t wcm__file_size_limit(void)
{
	struct rlimit now;

	return wcm__wide_limit(RLIMIT_FSIZE, &now) == 0 ? now.rlim_cur : 0;
}

static inline int wcm__membarrier(int command)
{
	return (int)WCM_SYSCALL(SYS_membarrier, command);
}

static inline void wcm__sched_yield(void)
{
	WCM_SYSCALL(SYS_sched_yield);
}

#endif
