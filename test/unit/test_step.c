/* SPDX-License-Identifier: MIT */
/* test_step.c - wcm__step() on stacks made by hand. */
#include "core/unwind/step.h"

#include "support/check.h"
#include "support/fake_read.h"

enum { W = sizeof(uintptr_t) };

static const struct wcm_rule fp_rule = { /* push fp; mov sp, fp */
	.base = WCM_BASE_FP, .cfa_off = 2 * W,
	.ra_saved = true, .ra_off = -W,
	.fp_saved = true, .fp_off = -2 * W,
};

static const struct wcm_rule sp_rule = { /* call has just pushed */
	.base = WCM_BASE_SP, .cfa_off = W,
	.ra_saved = true, .ra_off = -W,
};

static const struct wcm_rule leaf_rule = { /* the return address is in lr */
	.base = WCM_BASE_SP, .cfa_off = 0,
};

static const struct wcm_span nowhere = { 0, 0 };

/* Step, insist on STOP, and on nothing having changed. */
static void check_refused(struct wcm_regs regs, const struct wcm_rule *rule,
			  enum wcm_stop stop)
{
	const struct wcm_regs before = regs;

	CHECK_EQ(wcm__step(&regs, rule, &nowhere), stop);
	CHECK(memcmp(&regs, &before, sizeof(regs)) == 0);
}

TEST(follows_a_saved_frame_pointer)
{
	const uintptr_t words[] = { 0x7010, 0x401234 };
	struct wcm_regs regs = { .pc = 0x400000, .sp = 0x7000, .fp = 0x7000 };

	fake_stack(0x7000, words, 2);
	CHECK_EQ(wcm__step(&regs, &fp_rule, &nowhere), WCM_STOP_NONE);
	CHECK_EQ(regs.pc, 0x401234);
	CHECK_EQ(regs.sp, 0x7000 + 2 * W);
	CHECK_EQ(regs.fp, 0x7010);
}

TEST(loads_directly_from_the_stack_it_was_given)
{
	const uintptr_t words[] = { 0x7010, 0x401234 };
	const struct wcm_span here = { (uintptr_t)words,
				       (uintptr_t)(words + 2) };
	struct wcm_regs regs = { .sp = here.lo, .fp = here.lo };

	fake_stack(0, NULL, 0);
	CHECK_EQ(wcm__step(&regs, &fp_rule, &here), WCM_STOP_NONE);
	CHECK_EQ(regs.pc, 0x401234);
	CHECK_EQ(regs.sp, here.hi);
}

TEST(keeps_the_frame_pointer_that_a_frame_does_not_save)
{
	const uintptr_t words[] = { 0x401234 };
	struct wcm_regs regs = { .sp = 0x7000, .fp = 0x7abc };

	fake_stack(0x7000, words, 1);
	CHECK_EQ(wcm__step(&regs, &sp_rule, &nowhere), WCM_STOP_NONE);
	CHECK_EQ(regs.pc, 0x401234);
	CHECK_EQ(regs.sp, 0x7000 + W);
	CHECK_EQ(regs.fp, 0x7abc);
}

TEST(takes_the_return_address_of_a_leaf_from_its_register_once)
{
	struct wcm_regs regs = { .sp = 0x7000, .lr = 0x401234 };

	fake_stack(0, NULL, 0);
	CHECK_EQ(wcm__step(&regs, &leaf_rule, &nowhere), WCM_STOP_NONE);
	CHECK_EQ(regs.pc, 0x401234);
	CHECK_EQ(regs.sp, 0x7000);
	CHECK_EQ(regs.lr, 0);
	check_refused(regs, &leaf_rule, WCM_STOP_BAD_FRAME);
}

TEST(needs_a_frame_pointer_where_a_rule_does)
{
	check_refused((struct wcm_regs){ .pc = 1, .sp = 0x7000 }, &fp_rule,
		      WCM_STOP_BAD_FRAME);
}

TEST(ends_where_a_rule_says_so)
{
	const struct wcm_rule none = { .base = WCM_BASE_NONE };

	check_refused((struct wcm_regs){ .sp = 0x7000, .fp = 0x7000 }, &none,
		      WCM_STOP_OUTERMOST);
}

TEST(stops_when_the_chain_points_down)
{
	check_refused((struct wcm_regs){ .sp = 0x7000, .fp = 0x6000 }, &fp_rule,
		      WCM_STOP_BAD_FRAME);
}

TEST(stops_when_a_frame_leads_back_to_itself)
{
	check_refused((struct wcm_regs){ .sp = 0x7000 + 2 * W, .fp = 0x7000 },
		      &fp_rule, WCM_STOP_BAD_FRAME);
}

TEST(stops_when_the_chain_is_misaligned)
{
	check_refused((struct wcm_regs){ .sp = 0x7000, .fp = 0x7001 }, &fp_rule,
		      WCM_STOP_BAD_FRAME);
}

TEST(stops_when_the_frame_wraps_round)
{
	check_refused((struct wcm_regs){ .sp = 0x7000,
					 .fp = UINTPTR_MAX - W + 1 },
		      &fp_rule, WCM_STOP_BAD_FRAME);
}

TEST(ends_at_a_zero_return_address)
{
	const uintptr_t words[] = { 0x7010, 0 };

	fake_stack(0x7000, words, 2);
	check_refused((struct wcm_regs){ .sp = 0x7000, .fp = 0x7000 }, &fp_rule,
		      WCM_STOP_OUTERMOST);
}

TEST(stops_at_memory_it_may_not_read)
{
	fake_stack(0x7000, NULL, 0);
	check_refused((struct wcm_regs){ .sp = 0x7000, .fp = 0x9000 }, &fp_rule,
		      WCM_STOP_UNREADABLE);
}

TEST(stops_when_half_of_a_frame_can_be_read)
{
	const uintptr_t return_address_only[] = { 0x401234 };

	fake_stack(0x7000 + W, return_address_only, 1);
	check_refused((struct wcm_regs){ .sp = 0x7000, .fp = 0x7000 }, &fp_rule,
		      WCM_STOP_UNREADABLE);
}

RUN(follows_a_saved_frame_pointer, loads_directly_from_the_stack_it_was_given,
    keeps_the_frame_pointer_that_a_frame_does_not_save,
    takes_the_return_address_of_a_leaf_from_its_register_once,
    needs_a_frame_pointer_where_a_rule_does, ends_where_a_rule_says_so,
    stops_when_the_chain_points_down, stops_when_a_frame_leads_back_to_itself,
    stops_when_the_chain_is_misaligned, stops_when_the_frame_wraps_round,
    ends_at_a_zero_return_address, stops_at_memory_it_may_not_read,
    stops_when_half_of_a_frame_can_be_read)
