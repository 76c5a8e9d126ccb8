/* SPDX-License-Identifier: MIT */
/* coroutines.c - control that goes from stack to stack: by ucontext(3), by hand,
 * with signals and longjmp on the stacks, and stacks that are used again. */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

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

/* As libraries of coroutines switch: what the callee saves, and the stack. */
void switch_stack(void **from, void *to);
__asm__(".text\n"
	".globl switch_stack\n"
	".type switch_stack, @function\n"
	"switch_stack:\n"
	".cfi_startproc\n"
	"pushq %rbp\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %rbp, 0\n"
	"pushq %rbx\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %rbx, 0\n"
	"pushq %r12\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %r12, 0\n"
	"pushq %r13\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %r13, 0\n"
	"pushq %r14\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %r14, 0\n"
	"pushq %r15\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %r15, 0\n"
	"movq %rsp, (%rdi)\n"
	"movq %rsi, %rsp\n"
	"popq %r15\n.cfi_adjust_cfa_offset -8\n.cfi_restore %r15\n"
	"popq %r14\n.cfi_adjust_cfa_offset -8\n.cfi_restore %r14\n"
	"popq %r13\n.cfi_adjust_cfa_offset -8\n.cfi_restore %r13\n"
	"popq %r12\n.cfi_adjust_cfa_offset -8\n.cfi_restore %r12\n"
	"popq %rbx\n.cfi_adjust_cfa_offset -8\n.cfi_restore %rbx\n"
	"popq %rbp\n.cfi_adjust_cfa_offset -8\n.cfi_restore %rbp\n"
	"ret\n"
	".cfi_endproc\n"
	".size switch_stack, . - switch_stack\n");

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
	enum { ENTRY = 6, RETURN, WORDS };
	uintptr_t word[WORDS] = { [ENTRY] = (uintptr_t)by_hand };

	inside = memcpy(stack + SIZE - sizeof(word), word, sizeof(word));
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
