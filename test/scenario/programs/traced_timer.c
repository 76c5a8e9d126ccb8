/* SPDX-License-Identifier: MIT */
/* traced_timer.c - calls that a timer interrupts, over and over, whose handler calls,
 * too: MICROSECONDS CALLS, or CALLS jumps out of the handler with "jump".  A third
 * argument "alternate" gives the handler a stack of its own; "fork" has a child that
 * calls nothing. */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK = 64 * 1024, DEPTH = 5 };

static sigjmp_buf out;
static int jumping;

static void leaf(void)
{
	__asm__ volatile("");
}

static void deeper(void)
{
	leaf();
}

static void handle(int signal)
{
	(void)signal;
	deeper();
	deeper();
	if (jumping)
		siglongjmp(out, 1);
}

static void work(int left)
{
	if (left > 0)
		work(left - 1);
	else
		leaf();
}

__attribute__((no_instrument_function)) static void set_timer(int microseconds)
{
	const struct itimerval timer = { { 0, microseconds }, { 0, microseconds } };

	setitimer(ITIMER_REAL, &timer, NULL);
}

__attribute__((no_instrument_function)) static void catch(int on_alternate)
{
	static char stack[STACK];
	const stack_t alternate = { .ss_sp = stack, .ss_size = STACK };
	const struct sigaction action = {
		.sa_handler = handle, .sa_flags = on_alternate ? SA_ONSTACK : 0,
	};

	if (on_alternate)
		sigaltstack(&alternate, NULL);
	sigaction(SIGALRM, &action, NULL);
}

__attribute__((no_instrument_function)) static int run(int argc, char *argv[])
{
	const int calls = argc > 2 ? atoi(argv[2]) : 0;
	volatile int done = 0;

	jumping = argc > 3 && strcmp(argv[3], "jump") == 0;
	catch(argc > 3 && strcmp(argv[3], "alternate") == 0);
	if (jumping && sigsetjmp(out, 1) != 0)
		done++;
	else
		set_timer(argc > 1 ? atoi(argv[1]) : 0);
	while (done < calls) {
		work(DEPTH);
		done += !jumping;
	}
	set_timer(0);
	if (argc > 3 && strcmp(argv[3], "fork") == 0) {
		if (fork() == 0)
			exit(0);
		wait(NULL);
	}
	return 0;
}

int main(int argc, char *argv[])
{
	return run(argc, argv);
}
