/* SPDX-License-Identifier: MIT */
/* coroutines.h - stacks that makecontext(3) makes, and the scene that has them. */
#ifndef TEST_CORPUS_COROUTINES_H
#define TEST_CORPUS_COROUTINES_H

#include <ucontext.h>

#include "mark.h"

/* Scenes of stacks.c that run on these stacks, too. */
static int recurse(int depth);
static int tail(int n);
static void signals(int flags);

static ucontext_t outside, inside, innermost;

static void coroutine(int a, int b, int c, int d, int e, int f, int g, int h)
{
	mark("coroutine");
	swapcontext(&inside, &outside);
	mark("resumed");
	tail(a + b + c + d + e + f + g + h);
	recurse(2);
	signals(0);
}

static void inner_coroutine(void)
{
	mark("inner");
	setcontext(&outside);
}

NOINLINE static void coroutines(void)
{
	static _Alignas(16) char stack[256 * 1024], stack2[64 * 1024];

	getcontext(&inside);
	inside.uc_stack.ss_sp = stack;
	inside.uc_stack.ss_size = sizeof(stack);
	inside.uc_link = &innermost;
	makecontext(&inside, (void (*)(void))coroutine, 8, 1, 2, 3, 4, 5, 6, 7,
		    8);
	getcontext(&innermost);
	innermost.uc_stack.ss_sp = stack2;
	innermost.uc_stack.ss_size = sizeof(stack2);
	innermost.uc_link = NULL;
	makecontext(&innermost, inner_coroutine, 0);
	swapcontext(&outside, &inside);
	KEEP();
	swapcontext(&outside, &inside);
	KEEP();
}

#endif
