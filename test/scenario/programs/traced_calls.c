/* SPDX-License-Identifier: MIT */
/* traced_calls.c - calls that begin and end in every way there is; the argument says which.
 *
 * In "leaf", "deeper" and the like nothing happens: they show at which depth the
 * trace takes the program to be.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { STACK = 64 * 1024, ROUNDS = 3 };

static void leaf(void)
{
	__asm__ volatile("");
}

static void deeper(void)
{
	leaf();
}

static int recurse(int left)
{
	return left ? recurse(left - 1) + 1 : 0;
}

static void recursion(void)
{
	recurse(20);
	leaf();
}

static jmp_buf back;

static void jump(int left)
{
	if (left == 0)
		longjmp(back, 1);
	jump(left - 1);
}

static void jumps(void)
{
	for (volatile int i = 0; i < ROUNDS; i++)
		if (setjmp(back) == 0)
			jump(i);
		else
			deeper();
	leaf();
}

static ucontext_t scheduler, routine[2];

static void step(int i)
{
	swapcontext(&routine[i], &scheduler);
	leaf();
}

static void body_a(void)
{
	for (int i = 0; i < ROUNDS; i++)
		step(0);
}

static void body_b(void)
{
	for (int i = 0; i < ROUNDS; i++)
		step(1);
}

static void resume(int i)
{
	swapcontext(&scheduler, &routine[i]);
}

static void start(int i, char *stack, void (*body)(void))
{
	getcontext(&routine[i]);
	routine[i].uc_stack.ss_sp = stack;
	routine[i].uc_stack.ss_size = STACK;
	routine[i].uc_link = &scheduler;
	makecontext(&routine[i], body, 0);
}

static void run_coroutines(char *stacks)
{
	start(0, stacks, body_a);
	start(1, stacks + STACK, body_b);
	for (int i = 0; i <= ROUNDS; i++) {
		resume(0);
		resume(1);
		deeper();
	}
	leaf();
}

static void coroutines(void)
{
	char *stacks = malloc(2 * STACK);

	run_coroutines(stacks);
	free(stacks);
}

static void coroutines_on_the_stack(void)
{
	char stacks[2 * STACK];

	run_coroutines(stacks);
}

static void nobody(void)
{
	leaf();
	swapcontext(&routine[0], &scheduler);
}

/* Each is left in the middle, its memory used again. */
static void abandoned(void)
{
	char *stack = malloc(STACK);

	for (int i = 0; i < 1000; i++) {
		start(0, stack, nobody);
		resume(0);
	}
	free(stack);
	leaf();
}

static sigjmp_buf out;

static void handle(int signal)
{
	deeper();
	if (signal == SIGUSR2)
		siglongjmp(out, 1);
}

static void catch(int number, int flags)
{
	struct sigaction action = { .sa_handler = handle, .sa_flags = flags };

	sigaction(number, &action, NULL);
}

static void interrupted(int number)
{
	leaf();
	raise(number);
	leaf();
}

static void signals(int flags)
{
	catch(SIGUSR1, flags);
	catch(SIGUSR2, flags);
	interrupted(SIGUSR1);
	for (volatile int i = 0; i < ROUNDS; i++)
		if (sigsetjmp(out, 1) == 0)
			interrupted(SIGUSR2);
		else
			deeper();
	leaf();
}

static void plain_signals(void)
{
	signals(0);
}

static void alternate_signals(void)
{
	stack_t alternate = { .ss_sp = malloc(STACK), .ss_size = STACK };

	sigaltstack(&alternate, NULL);
	signals(SA_ONSTACK);
	alternate.ss_flags = SS_DISABLE;
	sigaltstack(&alternate, NULL);
	free(alternate.ss_sp);
}

static void leave_thread(int left)
{
	if (left == 0)
		pthread_exit(NULL);
	leave_thread(left - 1);
}

static void *thread(void *argument)
{
	deeper();
	leave_thread(2);
	return argument;
}

static void thread_exits(void)
{
	pthread_t threads[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		pthread_create(&threads[i], NULL, thread, NULL);
		pthread_join(threads[i], NULL);
	}
	leaf();
}

static void forks(void)
{
	fflush(NULL);
	if (fork() == 0) {
		deeper();
		_exit(0);
	}
	wait(NULL);
	leaf();
}

static void exits(void)
{
	deeper();
	exit(0);
}

static const struct {
	const char *name;
	void (*run)(void);
} all[] = {
	{ "recursion", recursion }, { "jumps", jumps },
	{ "coroutines", coroutines },
	{ "coroutines-on-the-stack", coroutines_on_the_stack },
	{ "abandoned", abandoned }, { "signals", plain_signals },
	{ "alternate-signals", alternate_signals },
	{ "thread-exits", thread_exits }, { "forks", forks },
	{ "exits", exits },
};

int main(int argc, char *argv[])
{
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (argc > 1 && strcmp(argv[1], all[i].name) == 0)
			all[i].run();
	return 0;
}
