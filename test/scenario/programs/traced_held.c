/* SPDX-License-Identifier: MIT */
/* traced_held.c - traces that stop, and others that start, while a thread stands in a hook.
 *
 *	traced_held MODES DIRECTORY
 *
 * For each of MODES, digits of enum wcm_trace_mode: a handler keeps a thread in a hook while its
 * trace, to DIRECTORY/before<mode>, is stopped and another one, to DIRECTORY/<mode>, is started,
 * in which the thread goes on.
 */
#define _GNU_SOURCE
#include <whocallme.h>

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define UNTRACED __attribute__((no_instrument_function))
#define CALLER __attribute__((noinline, no_reorder, section("callers")))

#if defined(__x86_64__)
#define PC(context) ((context)->uc_mcontext.gregs[REG_RIP])
#elif defined(__i386__)
#define PC(context) ((context)->uc_mcontext.gregs[REG_EIP])
#elif defined(__aarch64__)
#define PC(context) ((context)->uc_mcontext.pc)
#else
#define PC(context) ((context)->uc_mcontext.__gregs[0])
#endif

enum { TURNS = 20, PATIENCE = 900 /* milliseconds */ };

extern const char __start_callers[], __stop_callers[];
static bool held, goes_on, done;
static unsigned long calls;

/* The section's ends have names that are no function's. */
CALLER UNTRACED __attribute__((used)) static void first(void)
{
}

CALLER static int leaf(int value)
{
	__asm__ volatile("" : "+r"(value));
	return value;
}

CALLER static int middle(int value)
{
	return leaf(value) + leaf(value);
}

CALLER UNTRACED static void *work(void *unused)
{
	while (!__atomic_load_n(&done, __ATOMIC_RELAXED)) {
		middle(1);
		__atomic_store_n(&calls, calls + 1, __ATOMIC_RELEASE);
	}
	return unused;
}

CALLER UNTRACED __attribute__((used)) static void last(void)
{
}

/* Stand still in what the thread's own functions call: a hook. */
UNTRACED static void stand(int signal, siginfo_t *info, void *context)
{
	const uintptr_t pc = (uintptr_t)PC((ucontext_t *)context);

	(void)signal, (void)info;
	if (pc >= (uintptr_t)__start_callers && pc < (uintptr_t)__stop_callers)
		return;
	__atomic_store_n(&held, true, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&goes_on, __ATOMIC_ACQUIRE))
		usleep(1000);
	__atomic_store_n(&held, false, __ATOMIC_RELEASE);
}

UNTRACED static bool start(unsigned mode, const char *directory, const char *before)
{
	char output[4096];
	const struct wcm_trace_options options = {
		.mode = mode, .output = output, .flags = WCM_TRACE_REPLACE,
	};

	snprintf(output, sizeof(output), "%s/%s%u", directory, before, mode);
	return wcm_trace_start(&options) == WCM_OK;
}

UNTRACED static long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (long)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

UNTRACED static void await_calls(void)
{
	const unsigned long until = __atomic_load_n(&calls, __ATOMIC_ACQUIRE) + 1000;

	while (__atomic_load_n(&calls, __ATOMIC_ACQUIRE) < until)
		usleep(1000);
}

/* Returns the milliseconds that the thread was waited for, or -1. */
UNTRACED static long hold_once(pthread_t thread, unsigned mode, const char *directory)
{
	long waited;

	if (!start(mode, directory, "before"))
		return -1;
	await_calls();
	__atomic_store_n(&goes_on, false, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&held, __ATOMIC_ACQUIRE)) {
		pthread_kill(thread, SIGUSR1);
		usleep(1000);
	}
	waited = now();
	wcm_trace_stop();
	waited = now() - waited;
	if (!start(mode, directory, ""))
		return -1;
	__atomic_store_n(&goes_on, true, __ATOMIC_RELEASE);
	await_calls();
	wcm_trace_stop();
	return waited;
}

UNTRACED int main(int argc, char **argv)
{
	const struct sigaction action = { .sa_sigaction = stand, .sa_flags = SA_SIGINFO };
	pthread_t thread;

	if (argc != 3 || sigaction(SIGUSR1, &action, NULL) != 0 ||
	    pthread_create(&thread, NULL, work, NULL) != 0)
		return 2;
	for (const char *mode = argv[1]; *mode; mode++) {
		long waited = 0;

		for (int turn = 0; turn < TURNS && waited >= 0 && waited < PATIENCE; turn++)
			waited = hold_once(thread, (unsigned)(*mode - '0'), argv[2]);
		printf("%c %s\n", *mode, waited < 0 ? "does not start" :
				  waited < PATIENCE ? "held nobody" : "ended");
	}
	__atomic_store_n(&done, true, __ATOMIC_RELEASE);
	return pthread_join(thread, NULL);
}
