/* SPDX-License-Identifier: MIT */
/* handler.c - what killed us?
 *
 * One thread reports; what else crashes meanwhile waits for it, and a crash of
 * the report itself is the kernel's at once, since every signal is blocked.
 * Then the action that was there before takes the signal as it came.
 */
#include "crash/report.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "crash/altstack.h"
#include "crash/clock.h"
#include "report/output.h"
#include "syscall.h"
#include "whocallme/crash.h"

enum { WAIT_SECONDS = 5, WAITS_A_SECOND = 100 };

static const int fatal[] = { SIGSEGV, SIGBUS,  SIGFPE, SIGILL,
			     SIGABRT, SIGTRAP, SIGSYS };
enum { FATAL = sizeof(fatal) / sizeof(*fatal) };

static struct sigaction previous[FATAL];
static int report_fd = STDERR_FILENO;
static int reporter; /* the thread that reports; 0: none */

static long thread_id(void)
{
	return wcm__syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
}

static bool become_reporter(void)
{
	int none = 0;

	return __atomic_compare_exchange_n(&reporter, &none, (int)thread_id(),
					   false, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

/* Wait for the thread that reports.  The process usually dies meanwhile. */
static bool wait_to_report(void)
{
	const struct timespec pause = { .tv_nsec = 1000000000 / WAITS_A_SECOND };

	for (int i = 0; i < WAIT_SECONDS * WAITS_A_SECOND; i++) {
		if (become_reporter())
			return true;
		wcm__syscall(SYS_nanosleep, (long)&pause, 0, 0, 0, 0, 0);
	}
	return false;
}

static void restore(int index)
{
	sigaction(fatal[index], &previous[index], NULL);
}

/* Queue the signal again, for delivery on return from the handler.  A fault
 * needs no more than the return if the kernel refuses. */
static void raise_again(int signal, siginfo_t *info)
{
	long pid = wcm__syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);

	if (wcm__syscall(SYS_rt_tgsigqueueinfo, pid, thread_id(), signal,
			 (long)info, 0, 0) < 0)
		wcm__syscall(SYS_tgkill, pid, thread_id(), signal, 0, 0, 0);
}

static void on_fatal_signal(int signal, siginfo_t *info, void *ucontext)
{
	if (become_reporter() || wait_to_report()) {
		wcm__output_bound(true);
		wcm__crash_report(&(struct wcm_crash_report){
			.info = info,
			.ucontext = ucontext,
			.deadline = wcm__clock_ns() + 5000000000u,
			.fd = report_fd });
		wcm__output_bound(false);
		__atomic_store_n(&reporter, 0, __ATOMIC_RELEASE);
	}
	for (int i = 0; i < FATAL; i++)
		if (fatal[i] == signal)
			restore(i);
	raise_again(signal, info);
}

static bool is_known(const struct wcm_crash_options *options)
{
	static const struct wcm_crash_options zero;

	return options->flags == 0 && memcmp(options->reserved, zero.reserved,
					     sizeof(zero.reserved)) == 0;
}

static bool install(int index)
{
	struct sigaction action = { .sa_sigaction = on_fatal_signal,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK };

	sigfillset(&action.sa_mask);
	return sigaction(fatal[index], &action, &previous[index]) == 0;
}

/* The kernel is asked, since what a vfork child or another library did left no
 * other trace. */
static bool is_ours(int index)
{
	struct sigaction now;

	return sigaction(fatal[index], NULL, &now) == 0 &&
	       (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_fatal_signal;
}

enum wcm_status wcm_crash_install(const struct wcm_crash_options *options)
{
	static bool busy;
	enum wcm_status status = WCM_OK;

	if (options && !is_known(options))
		return WCM_EINVAL;
	while (__atomic_test_and_set(&busy, __ATOMIC_ACQUIRE))
		wcm__syscall(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
	report_fd = options && options->fd > 0 ? options->fd : STDERR_FILENO;
	if (!wcm__altstack_arm())
		status = WCM_ESYSTEM;
	for (int i = 0; i < FATAL; i++)
		if (!is_ours(i) && !install(i))
			status = WCM_ESYSTEM;
	__atomic_clear(&busy, __ATOMIC_RELEASE);
	return status;
}

void wcm_crash_remove(void)
{
	for (int i = 0; i < FATAL; i++)
		if (is_ours(i))
			restore(i);
}
