/* SPDX-License-Identifier: MIT */
/* jumps.c - control that goes astray: longjmp, signals on both stacks, one
 * inside another, faults, calls to nowhere. */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static volatile int sink;
static jmp_buf place;
static sigjmp_buf safe_place;

static NOINLINE void leap(int depth)
{
	if (depth == 0)
		longjmp(place, 1);
	leap(depth - 1);
	sink++;
}

static NOINLINE void jump(void)
{
	if (setjmp(place) == 0)
		leap(5);
	sink++;
}

static NOINLINE void in_handler(int depth)
{
	sink++;
	if (depth > 0)
		in_handler(depth - 1);
	sink++;
}

static void on_inner(int number)
{
	in_handler(number % 3 + 1);
}

static void on_signal(int number)
{
	in_handler(2);
	raise(SIGUSR2);
	in_handler(number % 3);
}

static void on_fault(int number)
{
	in_handler(1);
	siglongjmp(safe_place, number);
}

static void handle(int number, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigaction(number, &action, NULL);
}

static NOINLINE void load(int *address)
{
	sink += *(volatile int *)address;
	sink++;
}

static NOINLINE void call(void (*function)(void))
{
	function();
	sink++;
}

static NOINLINE void fault(int flags)
{
	handle(SIGSEGV, on_fault, flags);
	if (sigsetjmp(safe_place, 1) == 0)
		load(NULL);
	if (sigsetjmp(safe_place, 1) == 0)
		call(NULL);
	sink++;
}

static NOINLINE void interrupt(int flags)
{
	handle(SIGUSR1, on_signal, flags);
	handle(SIGUSR2, on_inner, flags);
	raise(SIGUSR1);
	kill(getpid(), SIGUSR2);
	fault(flags);
	jump();
}

int main(void)
{
	const size_t size = 65536;
	stack_t stack = { .ss_size = size };

	jump();
	interrupt(0);
	stack.ss_sp = mmap(NULL, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack.ss_sp == MAP_FAILED || sigaltstack(&stack, NULL) != 0)
		return 1;
	interrupt(SA_ONSTACK);
	exit(0);
}
