/* SPDX-License-Identifier: MIT */
/* coroutines.c - control that goes from stack to stack: by ucontext(3), by hand,
 * with signals and longjmp on the stacks, and stacks that are used again. */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "switch.h"

#define NOINLINE __attribute__((noinline))

enum { SIZE = 64 << 10, GUARD = 64 << 10, COROUTINES = 3, ROUNDS = 4 };

static volatile int sink;
static ucontext_t scheduler, context[COROUTINES];
static jmp_buf place;

static char *new_stack(void)
{
	char *memory = mmap(NULL, SIZE + GUARD, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED ||
	    mprotect(memory + GUARD, SIZE, PROT_READ | PROT_WRITE) != 0)
		exit(1);
	return memory + GUARD;
}

static NOINLINE void leap(int depth)
{
	if (depth == 0)
		longjmp(place, 1);
	leap(depth - 1);
	sink++;
}

static NOINLINE void on_signal(int number)
{
	sink += number;
}

/* Give way from a frame that is some calls deep. */
static NOINLINE void give_way(int self, int depth)
{
	if (depth > 0)
		give_way(self, depth - 1);
	else
		swapcontext(&context[self], &scheduler);
	sink++;
}

static void coroutine(int self, int b, int c, int d, int e, int f, int g)
{
	for (int i = 0; i < ROUNDS; i++) {
		give_way(self, i);
		raise(SIGUSR1);
		if (setjmp(place) == 0)
			leap(i + 1);
		sink += b + c + d + e + f + g;
	}
}

static NOINLINE void prepare(int self, char *stack)
{
	getcontext(&context[self]);
	context[self].uc_stack.ss_sp = stack;
	context[self].uc_stack.ss_size = SIZE;
	context[self].uc_link = &scheduler;
	makecontext(&context[self], (void (*)(void))coroutine, 7, self, 2, 3, 4,
		    5, 6, 7);
}

static NOINLINE void schedule(void)
{
	for (int i = 0; i <= ROUNDS; i++)
		for (int self = 0; self < COROUTINES; self++)
			swapcontext(&scheduler, &context[self]);
}

/* Back out of a coroutine for good, from within it. */
static void leaves(void)
{
	sink++;
	setcontext(&scheduler);
}

static NOINLINE void leave(char *stack)
{
	volatile int times = 0;

	getcontext(&scheduler);
	if (times++ > 0)
		return;
	getcontext(&context[0]);
	context[0].uc_stack.ss_sp = stack;
	context[0].uc_stack.ss_size = SIZE;
	context[0].uc_link = NULL;
	makecontext(&context[0], leaves, 0);
	setcontext(&context[0]);
}

static void *outside, *inside;

static NOINLINE void switch_deep(int depth)
{
	if (depth > 0)
		switch_deep(depth - 1);
	else
		switch_stack(&inside, outside);
	sink++;
}

static void by_hand(void)
{
	for (int i = 0;; i++) {
		raise(SIGUSR1);
		switch_deep(i);
	}
}

static NOINLINE void switch_by_hand(char *stack)
{
	inside = switch_make(stack + SIZE, by_hand);
	for (int i = 0; i < ROUNDS; i++)
		switch_stack(&outside, inside);
}

int main(void)
{
	char *stack[COROUTINES];

	signal(SIGUSR1, on_signal);
	for (int self = 0; self < COROUTINES; self++)
		stack[self] = new_stack();
	for (int round = 0; round < 2; round++) {
		for (int self = 0; self < COROUTINES; self++)
			prepare(self, stack[self]);
		schedule();
		leave(stack[1]);
	}
	switch_by_hand(new_stack());
	return sink == 0;
}
