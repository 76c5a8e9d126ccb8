/* SPDX-License-Identifier: MIT */
/* left.c - a hook is left by a long jump; what is called afterwards is traced. */
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

static sigjmp_buf back;

__attribute__((no_instrument_function)) static void leave(int signal)
{
	siglongjmp(back, signal);
}

static void last(void)
{
	__asm__ volatile("");
}

/* The trace goes to a pipe that nobody reads: the hook blocks, and the alarm
 * finds it there. */
static void fill(void)
{
	for (;;)
		last();
}

__attribute__((no_instrument_function)) int main(void)
{
	struct sigaction action = { .sa_handler = leave };

	sigaction(SIGALRM, &action, NULL);
	if (sigsetjmp(back, 1) == 0) {
		ualarm(200000, 0);
		fill();
	}
	dup2(STDOUT_FILENO, STDERR_FILENO);
	last();
	return 0;
}
