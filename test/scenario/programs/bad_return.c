/* SPDX-License-Identifier: MIT */
/* bad_return.c - a return address is written over, with something of the KIND in argv[1], and
 * the stack is taken further in, and a crash reported, as JSON with argv[3]: on the main thread,
 * or with argv[2] in another, in a handler, or on a stack of the program's own. */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <whocallme.h>

#ifdef __riscv
enum { SLOT = -1 };
#else
enum { SLOT = 1 };
#endif

static uintptr_t value; /* what is written */
static int data;
extern void _start(void);

/* Ends with no call, directly in front of the next one. */
__attribute__((noipa)) int before(int x)
{
	return x + data;
}

__attribute__((noipa)) int function(int x)
{
	data += x;
	before(x);
	data -= x;
	return data * x;
}

__attribute__((noipa)) static void take(void)
{
	struct wcm_frame frames[64];
	enum wcm_stop stop;
	const size_t count = wcm_stack_capture(frames, 64, 0, &stop);

	wcm_stack_write(1, frames, count);
	printf("%s\n", wcm_stop_text(stop));
	full_backtrace();
	*(volatile int *)8 = 1;
}

/* Its own frame is described; what it returns to is not what called it. */
__attribute__((noipa, noreturn)) static void smashed(void)
{
	((volatile uintptr_t *)__builtin_frame_address(0))[SLOT] = value;
	take();
	abort();
}

static void *thread(void *unused)
{
	smashed();
	return unused;
}

static void handler(int signal)
{
	(void)signal;
	smashed();
}

static char stack[64 * 1024] __attribute__((aligned(4096)));

static uintptr_t of_kind(const char *kind)
{
	static const char *const names[] = { "zero", "small", "wild", "heap", "stack", "data",
					     "function", "middle", "unmapped",
					     "start" };
	const uintptr_t values[] = { 0, 4, UINTPTR_MAX / 255 * 0x41, (uintptr_t)malloc(64),
				     (uintptr_t)&kind, (uintptr_t)&data, (uintptr_t)function,
				     (uintptr_t)function + 1, (uintptr_t)32 << 20,
				     (uintptr_t)_start + 8 };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(kind, names[i]) == 0)
			return values[i];
	abort();
}

int main(int argc, char **argv)
{
	const char *where = argc > 2 ? argv[2] : "main";
	ucontext_t context;
	pthread_t other;

	setvbuf(stdout, NULL, _IONBF, 0);
	init_function_table(argv[0]);
	value = of_kind(argv[1]);
	wcm_crash_install(&(struct wcm_crash_options){
		.sections = WCM_SECTION_STACK,
		.flags = WCM_CRASH_NO_LINES | (argc > 3 ? WCM_CRASH_JSON : 0) });
	if (strcmp(where, "thread") == 0) {
		pthread_create(&other, NULL, thread, NULL);
		pthread_join(other, NULL);
	} else if (strcmp(where, "handler") == 0) {
		signal(SIGUSR1, handler);
		raise(SIGUSR1);
	} else if (strcmp(where, "own") == 0) {
		getcontext(&context);
		context.uc_stack.ss_sp = stack;
		context.uc_stack.ss_size = sizeof(stack);
		context.uc_link = NULL;
		makecontext(&context, smashed, 0);
		setcontext(&context);
	}
	smashed();
}
