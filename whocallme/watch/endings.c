/* SPDX-License-Identifier: MIT */
/* endings.c - interposes the calls by which a program ends itself and runs no destructors:
 * _exit(2), kill(2) and the like.
 *
 * A trace is finished before.  A handler that the program calls for a fault may end it so, and then
 * the fault is reported before.  In the static library they are weak, as in signals.c; no trace
 * is finished there.  Handlers call them, and children of vfork(2).
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/os/process.h"
#include "core/os/self.h"
#include "core/os/start_page.h"
#include "crash/handler.h"
#include "trace/process/process_end.h"
#include "watch/interposed.h"

/* What signals.c has there is what such a program asks by. */
#if defined(PIC) || defined(__GLIBC__)

/* libc's, in a program that is not static. */
static struct {
	void (*exit)(int status);
	int (*kill)(pid_t pid, int signal);
	int (*tgkill)(pid_t pid, pid_t tid, int signal);
	int (*raise)(int signal);
	int (*sigqueue)(pid_t pid, int signal, const union sigval value);
	int (*pthread_kill)(pthread_t thread, int signal);
} real WCM_START_PAGE;

/* Before it is called where dlsym(3) may not be.  ISO C has no cast from an object's to a
 * function's address. */
__attribute__((constructor(101))) static void find_real(void)
{
	*(void **)&real.exit = dlsym(RTLD_NEXT, "_exit");
	*(void **)&real.kill = dlsym(RTLD_NEXT, "kill");
	*(void **)&real.tgkill = dlsym(RTLD_NEXT, "tgkill");
	*(void **)&real.raise = dlsym(RTLD_NEXT, "raise");
	*(void **)&real.sigqueue = dlsym(RTLD_NEXT, "sigqueue");
	*(void **)&real.pthread_kill = dlsym(RTLD_NEXT, "pthread_kill");
}

/* glibc's functions describe their frames, and are jumped to: the stack is what it is without us.
 * Other libcs' do not: a walk that has to guess how one was called finds the call from a frame of
 * ours. */
#if defined(PIC) && !defined(__GLIBC__)
static inline int answered(int result)
{
	__asm__ volatile("" : "+r"(result));
	return result;
}
#else
#define answered(result) (result)
#endif

/* By libc's function: the call is the program's, and traced as such. */
#define CALL(number, ...) answered((int)syscall(number, __VA_ARGS__))

#ifdef PIC
/* The preloaded crash report has none. */
extern __typeof__(wcm__process_end_finish) wcm__process_end_finish __attribute__((weak));
extern __typeof__(wcm__process_end_comes_later) wcm__process_end_comes_later
	__attribute__((weak));

static void finish_trace(void)
{
	if (wcm__process_end_finish && !wcm__process_end_comes_later())
		wcm__process_end_finish();
}
#else
static void finish_trace(void)
{
}
#endif

WCM_INTERPOSED _Noreturn void _exit(int status)
{
	wcm__crash_ends();
	finish_trace();
	if (real.exit)
		real.exit(status);
	for (;;)
		syscall(SYS_exit_group, status);
}

WCM_INTERPOSED _Noreturn void _Exit(int status)
{
	_exit(status);
}

WCM_INTERPOSED int kill(pid_t pid, int signal)
{
	wcm__crash_ends_by(pid, signal);
	return real.kill ? answered(real.kill(pid, signal)) : CALL(SYS_kill, pid, signal);
}

WCM_INTERPOSED int killpg(pid_t group, int signal)
{
	if (group >= 0)
		return kill(-group, signal);
	errno = EINVAL;
	return -1;
}

/* Not every libc's headers declare it. */
#pragma GCC diagnostic ignored "-Wredundant-decls"
int tgkill(pid_t pid, pid_t tid, int signal);

WCM_INTERPOSED int tgkill(pid_t pid, pid_t tid, int signal)
{
	/* Groups are kill(2)'s alone. */
	if (pid > 0 && tid > 0)
		wcm__crash_ends_by(pid, signal);
	return real.tgkill ? answered(real.tgkill(pid, tid, signal)) :
			     CALL(SYS_tgkill, pid, tid, signal);
}

WCM_INTERPOSED int raise(int signal)
{
	if (!real.raise)
		return tgkill(wcm__process_id(), wcm__thread_id(), signal);
	wcm__crash_ends_by(0, signal);
	return answered(real.raise(signal));
}

WCM_INTERPOSED int sigqueue(pid_t pid, int signal, const union sigval value)
{
	siginfo_t info = { .si_signo = signal, .si_code = SI_QUEUE };

	if (pid > 0)
		wcm__crash_ends_by(pid, signal);
	if (real.sigqueue)
		return answered(real.sigqueue(pid, signal, value));
	info.si_pid = wcm__process_id();
	info.si_uid = getuid();
	info.si_value = value;
	return CALL(SYS_rt_sigqueueinfo, pid, signal, &info);
}

#ifdef PIC
WCM_API int pthread_kill(pthread_t thread, int signal)
{
	if (!real.pthread_kill) /* before the constructor, or libpthread, was there */
		find_real();
	wcm__crash_ends_by(0, signal);
	return answered(real.pthread_kill(thread, signal));
}
#endif
#endif
