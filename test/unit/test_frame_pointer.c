/* SPDX-License-Identifier: MIT */
/* test_frame_pointer.c - which chains are believed. */
#include "core/unwind/frame_pointer.h"

#include "core/arch/arch.h"
#include "support/check.h"
#include "support/fake_arch.h"
#include "support/fake_read.h"

enum { W = sizeof(uintptr_t) };

/* Larger than a page: a span that is known to be a whole stack. */
static const struct wcm_span stack = { 0x10000, 0x20000 };

static const struct wcm_span unread = { 0, 0 };

static enum wcm_stop step_from(uintptr_t sp, uintptr_t fp, struct wcm_span span)
{
	struct wcm_regs regs = { .pc = FAKE_CODE, .sp = sp, .fp = fp };
	const struct wcm_regs before = regs;
	enum wcm_stop stop = wcm__frame_pointer_step(&regs, &span, &unread);

	if (stop != WCM_STOP_NONE)
		CHECK(memcmp(&regs, &before, sizeof(regs)) == 0);
	else
		CHECK(regs.sp > before.sp);
	return stop;
}

/* A span that is not loaded from directly, since nothing is mapped there. */
static const struct wcm_span unknown = { 0, 0 };

/* The caller's frame pointer, then RA, are where a function with frame pointer FP keeps them. */
static void fake_frame(uintptr_t fp, uintptr_t ra)
{
	static uintptr_t words[2];

	words[0] = fp + 0x10;
	words[1] = ra;
	fake_stack(fp + (uintptr_t)(wcm__arch_frame_rule.cfa_off + wcm__arch_frame_rule.fp_off),
		   words, 2);
}

static void need_a_port(void)
{
	if (wcm__arch_frame_rule.base == WCM_BASE_NONE)
		SKIP("this CPU has no port");
}

TEST(follows_a_chain_of_return_addresses)
{
	need_a_port();
	fake_frame(0x30000, FAKE_CODE + 4);
	CHECK_EQ(step_from(0x2f000, 0x30000, unknown), WCM_STOP_NONE);
}

TEST(believes_the_signal_trampoline_as_a_return_address)
{
	need_a_port();
	fake_frame(0x30000, FAKE_TRAMPOLINE);
	CHECK_EQ(step_from(0x2f000, 0x30000, unknown), WCM_STOP_NONE);
}

TEST(ends_at_a_zero_frame_pointer)
{
	CHECK_EQ(step_from(0x18000, 0, stack), WCM_STOP_OUTERMOST);
}

TEST(refuses_a_register_below_the_stack_pointer)
{
	need_a_port();
	CHECK_EQ(step_from(0x18000, 0x17ff8, stack), WCM_STOP_NO_RULE);
}

TEST(refuses_a_misaligned_register)
{
	need_a_port();
	CHECK_EQ(step_from(0x18000, 0x18004 + 1, stack), WCM_STOP_NO_RULE);
}

TEST(refuses_a_register_beyond_the_stack)
{
	need_a_port();
	fake_frame(stack.hi + 2 * W, FAKE_CODE + 4);
	CHECK_EQ(step_from(0x18000, stack.hi + 2 * W, stack), WCM_STOP_NO_RULE);
}

TEST(follows_a_register_beyond_the_page_of_a_stack_it_does_not_know)
{
	const struct wcm_span page = { 0x18000, 0x18000 + WCM_PAGE };
	need_a_port();
	fake_frame(page.hi + 4 * W, FAKE_CODE + 4);
	CHECK_EQ(step_from(0x18000, page.hi + 4 * W, page), WCM_STOP_NONE);
}

TEST(refuses_a_word_that_follows_no_call)
{
	need_a_port();
	fake_frame(0x30000, FAKE_CODE_END);
	CHECK_EQ(step_from(0x2f000, 0x30000, unknown), WCM_STOP_NO_RULE);
}

TEST(says_that_a_frame_cannot_be_read)
{
	need_a_port();
	fake_stack(0, NULL, 0);
	CHECK_EQ(step_from(0x2f000, 0x30000, unknown), WCM_STOP_UNREADABLE);
}

RUN(follows_a_chain_of_return_addresses,
    believes_the_signal_trampoline_as_a_return_address,
    ends_at_a_zero_frame_pointer, refuses_a_register_below_the_stack_pointer,
    refuses_a_misaligned_register, refuses_a_register_beyond_the_stack,
    follows_a_register_beyond_the_page_of_a_stack_it_does_not_know,
    refuses_a_word_that_follows_no_call, says_that_a_frame_cannot_be_read)
