/* SPDX-License-Identifier: MIT */
/* test_frames_riscv64.c - frames that code makes and no row tells, as glibc has one where a
 * function's name is bound, and rows of the place that code jumps to, as its setcontext() has
 * them: the stack is that of the same code with rows of its own. */
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include "whocallme.h"

#include "support/check.h"

/* Calls its argument from a frame of 48 bytes, with breakpoints in front, behind and at the end.
 * Each instruction that changes a row is followed by what tells so, or by nothing. */
#define FUNCTION(name, made, saved, had_back, given_back)                                  \
	__asm__(".pushsection .text\n\t.p2align 2\n\t.globl " #name "\n\t.hidden " #name   \
		"\n\t.type " #name ", @function\n" #name ":\n\t.cfi_startproc\n\t"         \
		"addi sp, sp, -48\n\t" made "sd ra, 24(sp)\n\t" saved                      \
		"ebreak\n\tjalr a0\n\tebreak\n\t"                                          \
		"ld ra, 24(sp)\n\t" had_back "addi sp, sp, 48\n\t" given_back              \
		"ebreak\n\tret\n\t.cfi_endproc\n\t.size " #name ", . - " #name             \
		"\n\t.popsection");                                                        \
	void name(void (*call)(void))

FUNCTION(with_rows, ".cfi_def_cfa_offset 48\n\t", ".cfi_offset ra, -24\n\t",
	 ".cfi_restore ra\n\t", ".cfi_def_cfa_offset 0\n\t");
FUNCTION(without_rows, "", "", "", "");

/* What t0 points to lies below the stack, as a context may. */
__asm__(".pushsection .text\n\t.p2align 2\n\t.type jumps, @function\njumps:\n\t.cfi_startproc\n\t"
	"li t0, 16\n\t.cfi_def_cfa t0, 0\n\tebreak\n\tret\n\t.cfi_endproc\n\t"
	".size jumps, . - jumps\n\t.popsection");
void jumps(void (*)(void)) __asm__("jumps");

enum { MOST = 64, STACKS = 4 };

struct stack {
	struct wcm_frame frames[MOST];
	size_t count, at; /* AT is that of the function */
	enum wcm_stop stop;
};

static struct stack stacks[2 * STACKS + 1];
static size_t stack_count;
static uintptr_t function;

static bool is_within(uintptr_t pc)
{
	enum { SIZE = 40 };

	return pc - function < SIZE;
}

static void finish(struct stack *stack)
{
	while (stack->at < stack->count && !is_within(stack->frames[stack->at].pc))
		stack->at++;
}

static void capture(void)
{
	struct stack *stack = &stacks[stack_count++];

	stack->count = wcm_stack_capture(stack->frames, MOST, 0, &stack->stop);
	finish(stack);
}

static uint16_t half_at(uintptr_t address)
{
	uint16_t half;

	memcpy(&half, (const void *)address, sizeof(half));
	return half;
}

/* At a breakpoint, of two bytes or of four. */
static void trapped(int signal, siginfo_t *info, void *ucontext)
{
	enum { COMPRESSED_EBREAK = 0x9002 };
	unsigned long *const pc = &((ucontext_t *)ucontext)->uc_mcontext.__gregs[REG_PC];
	struct stack *stack = &stacks[stack_count++];

	(void)signal, (void)info;
	stack->count = wcm_stack_capture_from(ucontext, stack->frames, MOST, 0,
					      &stack->stop);
	finish(stack);
	*pc += half_at(*pc) == COMPRESSED_EBREAK ? 2 : 4;
}

/* The stacks in front of the call, in it, behind it and at the end. */
__attribute__((noinline)) static void collect(void (*called)(void (*)(void)))
{
	const struct sigaction on_trap = { .sa_sigaction = trapped, .sa_flags = SA_SIGINFO };

	CHECK_EQ(sigaction(SIGTRAP, &on_trap, NULL), 0);
	function = (uintptr_t)called;
	called(capture);
}

/* But for where in the function they are, and what is in front of that. */
static void check_same(const struct stack *told, const struct stack *found)
{
	CHECK_EQ(told->stop, WCM_STOP_OUTERMOST);
	CHECK(told->at + 1 < told->count);
	CHECK_EQ(found->stop, WCM_STOP_OUTERMOST);
	CHECK_EQ(found->count, told->count);
	CHECK_EQ(found->at, told->at);
	for (size_t i = told->at + 1; i < told->count; i++)
		CHECK_EQ(found->frames[i].pc, told->frames[i].pc);
	for (size_t i = 0; i < told->count; i++)
		CHECK_EQ(found->frames[i].flags, told->frames[i].flags);
}

static uintptr_t offset_in(const struct stack *stack, void (*of)(void (*)(void)))
{
	return stack->frames[stack->at].pc - (uintptr_t)of;
}

/* All are called from one place, so that what is behind them is the same. */
static void collect_all(void)
{
	static void (*volatile functions[])(void (*)(void)) = { with_rows, without_rows, jumps,
								NULL };

	stack_count = 0;
	for (size_t i = 0; functions[i]; i++)
		collect(functions[i]);
	CHECK_EQ(stack_count, 2 * STACKS + 1);
}

TEST(of_code_without_rows)
{
	collect_all();
	for (size_t i = 0; i < STACKS; i++) {
		check_same(&stacks[i], &stacks[STACKS + i]);
		CHECK_EQ(offset_in(&stacks[STACKS + i], without_rows),
			 offset_in(&stacks[i], with_rows));
	}
}

TEST(of_code_with_rows_of_another_place)
{
	collect_all();
	check_same(&stacks[0], &stacks[2 * STACKS]);
}

RUN(of_code_without_rows, of_code_with_rows_of_another_place)
