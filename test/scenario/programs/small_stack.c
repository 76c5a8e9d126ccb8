/* SPDX-License-Identifier: MIT */
/* small_stack.c - calls on a stack of a few KiB, and looks at what lies below it.
 *
 *	small_stack KIND BYTES WHAT...
 *
 * KIND is "context", whose stack has a page below it that cannot be touched; "kept", whose stack
 * has memory of the program's below it; "inner", the same in an array of a function that is
 * traced; "alternate", which is a signal handler's, and "thread", with such memory below them.
 * "goroutine" is as "context", with an alternate stack that the program has chosen for all signals,
 * "g6144" with one of so many bytes.
 * WHAT happens there: "calls", "library", "system", "probe"; "fork", a child makes calls; "jumps",
 * signals leave calls by a jump.  Before these, of an alternate stack: "looks", the handler looks
 * whether it is on that; "leaves", it ends by a jump, thirty times.  It prints how many bytes below
 * the stack have changed, how many were used below the function that makes the calls, there as well
 * if it was on it, and how many the kernel needs for a signal.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <whocallme/probe.h>

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

/* Of what is not traced. */
#define ASIDE __attribute__((noinline, no_instrument_function, patchable_function_entry(0, 0)))

enum { KEPT = 64 * 1024, MOST = 256 * 1024, PAINT = 0xa5 };

static _Alignas(65536) unsigned char memory[KEPT + MOST];
static unsigned char *stack; /* SIZE bytes, behind KEPT of the program's */
static size_t size;
static uintptr_t stood;
static char **what;
static ucontext_t back, there;
static volatile int sum;
static volatile long id;

__attribute__((noinline)) static int leaf(int number)
{
	sum += number;
	return number;
}

__attribute__((noinline)) static int call(int number)
{
	return leaf(number) + leaf(number + 1) + leaf(number + 2);
}

ASIDE static void fork_child(void)
{
	const pid_t child = fork();
	int status = 1;

	if (child == 0) {
		call(1);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
		abort();
}

static sigjmp_buf landing;
static volatile sig_atomic_t looks, leaves;
static volatile sig_atomic_t is_landing, jumps;

__attribute__((noinline)) static void jump(int number)
{
	jumps++;
	if (is_landing && leaf(number) % 2 == 0)
		siglongjmp(landing, 1);
}

/* The signal is unblocked behind the jump.  Where siglongjmp() does so, signals that come before
 * it has jumped lie on top of each other, and a loaded machine has more of these than a small stack
 * has room for. */
ASIDE static void make_jumps(void)
{
	const struct sigaction action = { .sa_handler = jump };
	const struct itimerval often = { { 0, 150 }, { 0, 150 } }, never = { { 0, 0 }, { 0, 0 } };
	sigset_t alarm;

	sigaction(SIGALRM, &action, NULL);
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigsetjmp(landing, 0);
	is_landing = 1;
	sigprocmask(SIG_UNBLOCK, &alarm, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	while (jumps < 100)
		call(1);
	is_landing = 0;
	setitimer(ITIMER_REAL, &never, NULL);
}

ASIDE static void happen(const char *name)
{
	if (strcmp(name, "calls") == 0)
		call(1);
	else if (strcmp(name, "library") == 0)
		id = getppid() + rand();
	else if (strcmp(name, "system") == 0)
		id = syscall(SYS_getppid);
	else if (strcmp(name, "fork") == 0)
		fork_child();
	else if (strcmp(name, "jumps") == 0)
		make_jumps();
	else
		WCM_PROBE(small, probe, sum, name, 1.5);
}

ASIDE static void work(void)
{
	stood = (uintptr_t)__builtin_frame_address(0);
	for (char **each = what; *each; each++)
		for (int i = 0; i < 3; i++)
			happen(*each);
}

/* The program's alternate stack is the one that it has chosen, ON it or not. */
ASIDE static void look_at_alternate(int on)
{
	const stack_t none = { .ss_flags = SS_DISABLE };
	stack_t now;

	if (sigaltstack(NULL, &now) != 0 || now.ss_sp != stack || now.ss_size != size ||
	    now.ss_flags != on)
		abort();
	if (on && (sigaltstack(&none, NULL) != -1 || errno != EPERM))
		abort();
}

ASIDE static void handler(int signal)
{
	(void)signal;
	work();
	if (looks)
		look_at_alternate(SS_ONSTACK);
	if (leaves)
		siglongjmp(landing, 1);
}

ASIDE static void *run(void *argument)
{
	work();
	return argument;
}

ASIDE static void on_context(void)
{
	getcontext(&there);
	there.uc_stack = (stack_t){ .ss_sp = stack, .ss_size = size };
	there.uc_link = &back;
	makecontext(&there, work, 0);
	swapcontext(&back, &there);
}

ASIDE static void on_alternate(void)
{
	const struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
	const stack_t alternate = { .ss_sp = stack, .ss_size = size };

	if (sigaltstack(&alternate, NULL) != 0) {
		puts("refused");
		exit(77);
	}
	sigaction(SIGUSR1, &action, NULL);
	looks = strcmp(what[0], "looks") == 0;
	leaves = strcmp(what[0], "leaves") == 0;
	what += looks || leaves;
	for (volatile int i = 0; i < (leaves ? 30 : 1); i++)
		if (!leaves || sigsetjmp(landing, 1) == 0)
			raise(SIGUSR1);
	look_at_alternate(0);
}

ASIDE static void nothing(int signal)
{
	(void)signal;
}

/* What the program finds and changes is as it would be without the library's handler there. */
ASIDE static void exchange(const stack_t *alternate)
{
	const stack_t none = { .ss_flags = SS_DISABLE };
	stack_t now;

	if (sigaltstack(NULL, &now) != 0 || now.ss_flags != 0 || now.ss_sp != alternate->ss_sp ||
	    sigaltstack(&none, &now) != 0 || now.ss_size != alternate->ss_size ||
	    sigaltstack(NULL, &now) != 0 || now.ss_flags != SS_DISABLE ||
	    sigaltstack(alternate, NULL) != 0 || sigaltstack(NULL, &now) != 0 || now.ss_flags != 0)
		abort();
}

ASIDE static void on_goroutine(size_t bytes)
{
	static unsigned char signals[64 * 1024];
	const struct sigaction action = { .sa_handler = nothing, .sa_flags = SA_ONSTACK };
	const stack_t alternate = { .ss_sp = signals, .ss_size = bytes ? bytes : sizeof(signals) };

	sigaltstack(&alternate, NULL);
	sigaction(SIGSYS, &action, NULL);
	sigaction(SIGTRAP, &action, NULL);
	on_context();
	exchange(&alternate);
}

ASIDE static void on_thread(void)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	if (pthread_attr_setstack(&attributes, stack, size) != 0 ||
	    pthread_create(&thread, &attributes, run, NULL) != 0) {
		puts("refused");
		exit(77);
	}
	pthread_join(thread, NULL);
}

ASIDE static size_t count_changed(const unsigned char *from, size_t count)
{
	size_t changed = 0;

	for (size_t i = 0; i < count; i++)
		changed += from[i] != PAINT;
	return changed;
}

ASIDE static int report(const char *kind)
{
	const size_t kept = *kind == 'c' || *kind == 'g' ? 0 : KEPT;
	const size_t changed = count_changed(stack - kept, kept);
	const unsigned char *lowest = stack - kept;

	while (lowest < stack + size && *lowest == PAINT)
		lowest++;
	printf("%zu changed below, %zu used, %lu for a signal\n", changed,
	       stood - (uintptr_t)stack < size && stood > (uintptr_t)lowest ?
		       (size_t)(stood - (uintptr_t)lowest) : 0,
	       getauxval(AT_MINSIGSTKSZ));
	return changed != 0;
}

ASIDE static void begin(const char *kind)
{
	if (*kind == 'g')
		on_goroutine((size_t)atol(kind + 1));
	else if (*kind == 'c' || *kind == 'k' || *kind == 'i')
		on_context();
	else if (*kind == 'a')
		on_alternate();
	else
		on_thread();
}

/* Traced, so that the array is known to be of a function that has not ended. */
__attribute__((noinline)) static int in_array(const char *kind)
{
	unsigned char array[KEPT + 16 * 1024] __attribute__((aligned(64)));

	memset(array, PAINT, sizeof(array));
	stack = array + KEPT;
	begin(kind);
	return report(kind);
}

ASIDE int main(int argc, char **argv)
{
	const char *kind = argc > 3 ? argv[1] : "";

	if (argc < 4)
		return 99;
	size = (size_t)atol(argv[2]);
	what = argv + 3;
	if (*kind == 'i')
		return in_array(kind);
	stack = memory + KEPT;
	memset(memory, PAINT, sizeof(memory));
	if ((*kind == 'c' || *kind == 'g') && mprotect(memory, KEPT, PROT_NONE) != 0)
		return 99;
	begin(kind);
	return report(kind);
}
