/* SPDX-License-Identifier: MIT */
/* situations.c - asks from the place that its argument names. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <whocallme.h>

#include "machine.h"

#define CALLER __attribute__((noinline))
#define NO_TAIL_CALL __asm__ volatile("")
enum { DEPTH = 10000, ROOM = 20000 };

static void ask(void)
{
	who_call_me();
}

CALLER static void caller(void)
{
	ask();
	NO_TAIL_CALL;
}

static void asking_handler(int signal)
{
	(void)signal;
	who_call_me();
}

static void calling_handler(int signal)
{
	(void)signal;
	ask();
	NO_TAIL_CALL;
}

static void backtrace_handler(int signal)
{
	(void)signal;
	full_backtrace();
}

/* The signal comes while this function runs, not in libc, which keeps no frame
 * pointers. */
CALLER static void interrupted(void)
{
	const long pid = getpid(), tid = gettid();
	long result;

	RAW_CALL(result, SYS_tgkill, pid, tid, SIGUSR1);
	(void)result;
}

CALLER static void interrupt_with(void (*handler)(int))
{
	signal(SIGUSR1, handler);
	interrupted();
	NO_TAIL_CALL;
}

static void *thread_body(void *argument)
{
	ask();
	NO_TAIL_CALL;
	return argument;
}

static void in_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, thread_body, NULL);
	pthread_join(thread, NULL);
}

static ucontext_t main_context, coroutine;

static void coroutine_body(void)
{
	ask();
	full_backtrace();
}

static void in_coroutine(void)
{
	static char stack[256 * 1024];

	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = stack;
	coroutine.uc_stack.ss_size = sizeof(stack);
	coroutine.uc_link = &main_context;
	makecontext(&coroutine, coroutine_body, 0);
	swapcontext(&main_context, &coroutine);
}

CALLER static void innermost(void)
{
	full_backtrace();
}

CALLER static void middle(void)
{
	innermost();
	NO_TAIL_CALL;
}

CALLER static void outer(void)
{
	middle();
	NO_TAIL_CALL;
}

static const char *name_at(const struct wcm_frame *frame)
{
	const char *name = find_function_by_addr(wcm_frame_site(frame));

	return name ? name : "?";
}

static void print_capture(size_t cap, unsigned skip)
{
	struct wcm_frame frames[16];
	enum wcm_stop stop;
	size_t count;

	memset(frames, 0xff, sizeof(frames));
	count = wcm_stack_capture(frames, cap, skip, &stop);
	printf("cap %zu skip %u:", cap, skip);
	for (size_t i = 0; i < count && i < 3; i++)
		printf(" %s", name_at(&frames[i]));
	printf(", %s%s\n", stop == WCM_STOP_FULL ? "full" : "to the end",
	       frames[cap].pc == UINTPTR_MAX ? "" : ", overrun");
}

CALLER static void captures(void)
{
	print_capture(15, 0);
	print_capture(15, 1);
	print_capture(2, 0);
	print_capture(1, 2);
	print_capture(0, 0);
	print_capture(15, 1000);
}

CALLER static int descend(int depth)
{
	static struct wcm_frame frames[ROOM];
	int recursions = 0, count;

	if (depth > 1) {
		count = descend(depth - 1);
		NO_TAIL_CALL;
		return count;
	}
	count = (int)wcm_stack_capture(frames, ROOM, 0, NULL);
	for (int i = 0; i < count; i++)
		recursions += strcmp(name_at(&frames[i]), "descend") == 0;
	printf("%d\n", recursions);
	return count;
}

static void deep(void)
{
	descend(DEPTH);
	NO_TAIL_CALL;
}

static void names_itself(void)
{
	puts(who_am_i());
}

static void errno_stays(void)
{
	struct wcm_frame frames[8];
	struct wcm_symbol symbol;

	errno = EXDEV;
	caller();
	full_backtrace();
	who_am_i();
	wcm_stack_write(2, frames, wcm_stack_capture(frames, 8, 0, NULL));
	wcm_stack_write(-1, frames, 1);
	wcm_symbol_peek((uintptr_t)&symbol, &symbol);
	find_function_by_addr(1);
	printf("%d %d\n", errno == EXDEV, init_function_table(NULL));
}

/* The executable is at PATH no more when the table is loaded. */
static void status(void)
{
	printf("%s\n", wcm_status_text(wcm_status_get()));
	caller();
}

static const struct {
	const char *name;
	void (*run)(void);
} situations[] = {
	{ "caller", caller },
	{ "thread", in_thread },
	{ "coroutine", in_coroutine },
	{ "backtrace", outer },
	{ "captures", captures },
	{ "deep", deep },
	{ "names-itself", names_itself },
	{ "errno", errno_stays },
	{ "status", status },
};

static const struct {
	const char *name;
	void (*handler)(int);
} handlers[] = {
	{ "asking-handler", asking_handler },
	{ "calling-handler", calling_handler },
	{ "backtrace-handler", backtrace_handler },
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

int main(int argc, char *argv[])
{
	const char *name = argc > 1 ? argv[1] : "caller";

	if (argc > 2 && chdir(argv[2]) != 0)
		return 3;
	if (argc > 3 && system(argv[3]) != 0)
		return 3;
	init_function_table(argv[0]);
	for (size_t i = 0; i < COUNT(situations); i++)
		if (strcmp(name, situations[i].name) == 0)
			return situations[i].run(), 0;
	for (size_t i = 0; i < COUNT(handlers); i++)
		if (strcmp(name, handlers[i].name) == 0)
			return interrupt_with(handlers[i].handler), 0;
	return 2;
}
