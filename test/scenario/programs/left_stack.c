/* SPDX-License-Identifier: MIT */
/* left_stack.c - a handler leaves its alternate stack by swapcontext(3).
 *
 * SS_AUTODISARM is for such handlers; a second signal comes on another stack.  SIZE: prints
 * whether the first one's frames are as they were. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include <whocallme.h>

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1U << 31)
#endif

static ucontext_t outside, left;
static volatile int handled;

static void on_signal(int signal)
{
	volatile unsigned char here[1024];
	int changed = 0;

	(void)signal;
	memset((void *)here, handled == 0 ? 0xaa : 0xbb, sizeof(here));
	if (handled++ > 0)
		return;
	swapcontext(&left, &outside);
	for (size_t i = 0; i < sizeof(here); i++)
		changed += here[i] != 0xaa;
	_exit(write(STDOUT_FILENO, changed ? "changed\n" : "intact\n", changed ? 8 : 7) < 0);
}

int main(int argc, char *argv[])
{
	const size_t size = argc > 1 ? strtoul(argv[1], NULL, 0) : 0;
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK | SA_NODEFER };
	stack_t stack = { .ss_sp = malloc(size), .ss_size = size, .ss_flags = (int)SS_AUTODISARM };
	volatile int is_out = 0;

#ifndef UNAWARE
	wcm_crash_install(NULL);
#endif
	sigaction(SIGUSR1, &action, NULL);
	if (sigaltstack(&stack, NULL) != 0)
		return 77;
	getcontext(&outside);
	if (!is_out) {
		is_out = 1;
		raise(SIGUSR1);
	}
	stack.ss_sp = malloc(size);
	if (sigaltstack(&stack, NULL) != 0)
		return 77;
	raise(SIGUSR1);
	setcontext(&left);
	return 1;
}
