/* SPDX-License-Identifier: MIT */
/* test_frame_pointer.c - which chains are believed. */
#include "core/unwind/guess.h"

#include "core/arch/arch.h"
#include "core/modules/place.h"
#include "core/unwind/stack_span.h"
#include "support/check.h"
#include "support/fake_arch.h"
#include "support/fake_read.h"

enum { W = sizeof(uintptr_t) };

/* Larger than a page: a span that is known to be a whole stack. */
static const struct wcm_span stack = { 0x10000, 0x20000 };

static const struct wcm_span unread = { 0, 0 };

static bool is_own;

bool wcm__stack_is_own(const struct wcm_span *span)
{
	(void)span;
	return is_own;
}

/* A module whose code is FAKE_CODE, followed by a page of data. */
enum wcm_place wcm__place_of(uintptr_t address)
{
	if (address < FAKE_CODE || address >= FAKE_CODE_END + WCM_PAGE)
		return WCM_PLACE_OTHER;
	return address < FAKE_CODE_END ? WCM_PLACE_CODE : WCM_PLACE_DATA;
}

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

/* A chain of frames at the start of STACK, which return to RETURNS, NULL behind the last. */
static void fake_chain(const uintptr_t *returns)
{
	static uintptr_t words[16];
	const uintptr_t fp_at = (uintptr_t)(wcm__arch_frame_rule.cfa_off +
					    wcm__arch_frame_rule.fp_off);

	for (unsigned i = 0; i < 8 && *returns; i++, returns++) {
		words[2 * i] = 0x18000 + (i + 1) * 2 * W - fp_at;
		words[2 * i + 1] = *returns;
	}
	fake_stack(0x18000, words, 16);
}

static enum wcm_stop step_in_chain(const uintptr_t *returns)
{
	const uintptr_t fp = 0x18000 - (uintptr_t)(wcm__arch_frame_rule.cfa_off +
						   wcm__arch_frame_rule.fp_off);
	enum wcm_stop stop;

	is_own = true;
	fake_chain(returns);
	stop = step_from(fp < 0x18000 ? fp : 0x18000, fp, stack);
	is_own = false;
	return stop;
}

TEST(refuses_what_is_no_code_in_a_whole_chain)
{
	const uintptr_t module_data[] = { FAKE_CODE_END, FAKE_CODE + 4, 0 };
	const uintptr_t on_stack[] = { 0x18000, FAKE_CODE + 4, 0 };
	const uintptr_t nowhere[] = { 0x30000, FAKE_CODE + 4, 0 };

	need_a_port();
	CHECK_EQ(step_in_chain(module_data), WCM_STOP_NO_RULE);
	CHECK_EQ(step_in_chain(on_stack), WCM_STOP_NO_RULE);
	CHECK_EQ(step_in_chain(nowhere), WCM_STOP_NO_RULE);
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
    refuses_a_word_that_follows_no_call, refuses_what_is_no_code_in_a_whole_chain,
    says_that_a_frame_cannot_be_read)
