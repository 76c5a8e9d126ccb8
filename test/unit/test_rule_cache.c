/* SPDX-License-Identifier: MIT */
/* test_rule_cache.c - what is remembered, and for whom. */
#include "unwind/rule_cache.h"

#include "arch/arch.h"
#include "support/check.h"

enum { W = sizeof(uintptr_t), SLOTS = 1 << WCM_RULE_SLOT_BITS };

static struct wcm_rule rule_of(int words)
{
	if (W != 8)
		SKIP("only addresses of 64 bits are remembered");
	return (struct wcm_rule){ .base = WCM_BASE_SP, .cfa_off = words * W,
				  .ra_saved = true, .ra_off = -W };
}

static int words_at(uintptr_t pc)
{
	struct wcm_rule rule;

	return wcm__rule_cache_get(&rule, pc) ? rule.cfa_off / W : -1;
}

static void put(uintptr_t pc, int words)
{
	struct wcm_rule rule = rule_of(words);

	wcm__rule_cache_put(&rule, pc);
}

TEST(gives_back_what_was_put)
{
	const struct wcm_rule rules[] = {
		{ .base = WCM_BASE_NONE },
		{ .base = WCM_BASE_SP, .cfa_off = W, .ra_saved = true,
		  .ra_off = -W },
		{ .base = WCM_BASE_SP, .cfa_off = 16383 * W, .ra_saved = true,
		  .ra_off = -W, .fp_saved = true, .fp_off = -2047 * W },
		{ .base = WCM_BASE_FP, .cfa_off = 2 * W, .ra_saved = true,
		  .ra_off = -W, .fp_saved = true, .fp_off = -2 * W },
	};
	struct wcm_rule got;

	rule_of(1);
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		wcm__rule_cache_put(&rules[i], 0x1234);
		CHECK(wcm__rule_cache_get(&got, 0x1234));
		CHECK_EQ(got.base, rules[i].base);
		CHECK_EQ(got.cfa_off, rules[i].cfa_off);
		CHECK_EQ(got.ra_saved, rules[i].ra_saved);
		CHECK_EQ(got.ra_off, rules[i].ra_off);
		CHECK_EQ(got.fp_saved, rules[i].fp_saved);
		CHECK_EQ(got.fp_off, rules[i].fp_off);
	}
}

TEST(answers_for_no_other_pc)
{
	const uintptr_t pc = 0x555512345678;

	put(pc, 3);
	CHECK_EQ(words_at(pc), 3);
	for (int bit = 0; bit < 64; bit++)
		CHECK_EQ(words_at(pc ^ (uintptr_t)1 << bit), -1);
	CHECK_EQ(words_at(0), -1);
	CHECK_EQ(words_at(UINTPTR_MAX), -1);
}

TEST(forgets_one_of_two_that_share_a_slot)
{
	const uintptr_t one = 0x400000;
	uintptr_t other = one + 1;

	while (wcm__rule_slot(wcm__rule_mix(other + 1)) !=
	       wcm__rule_slot(wcm__rule_mix(one + 1)))
		other++;
	put(one, 4);
	CHECK_EQ(words_at(other), -1);
	put(other, 5);
	CHECK_EQ(words_at(one), -1);
	CHECK_EQ(words_at(other), 5);
}

TEST(leaves_out_what_does_not_fit)
{
	struct wcm_rule rule = rule_of(4);
	const uintptr_t pc = 0x700000;

	rule.fp_saved = true;
	rule.fp_off = -5 * W; /* below the frame */
	wcm__rule_cache_put(&rule, pc);
	rule.fp_off = W;
	wcm__rule_cache_put(&rule, pc);
	rule = rule_of(4);
	rule.ra_off = -2 * W;
	wcm__rule_cache_put(&rule, pc);
	rule = rule_of(4);
	rule.cfa_off++;
	wcm__rule_cache_put(&rule, pc);
	put(pc, 0);
	put(pc, -4);
	put(pc, 16384);
	CHECK_EQ(words_at(pc), -1);
	put(((uintptr_t)1 << 47) - 1, 4);
	CHECK_EQ(words_at(((uintptr_t)1 << 47) - 1), -1);
}

static int words_in(uintptr_t pc, const struct wcm_known_module *module)
{
	struct wcm_rule rule;

	return wcm__rule_cache_get_in(&rule, pc, module) ? rule.cfa_off / W
							 : -1;
}

TEST(tells_a_library_from_the_one_that_was_there_before)
{
	const uintptr_t lo = 0x7f0000000000, pc = lo + 0x1234;
	struct wcm_known_module before = { .map.lo = lo, .number = 6 },
				now = { .map.lo = lo, .number = 7 };
	struct wcm_rule rule = rule_of(3);

	wcm__rule_cache_put_in(&rule, pc, &before);
	CHECK_EQ(words_in(pc, &before), 3);
	CHECK_EQ(words_in(pc, &now), -1);
	CHECK_EQ(words_at(pc), -1);
	for (now.number = 0; now.number < 4 * SLOTS; now.number++)
		CHECK_EQ(words_in(pc, &now), now.number == 6 ? 3 : -1);
}

TEST(leaves_out_modules_that_are_too_big_or_too_many)
{
	const uintptr_t lo = 0x7f0000000000;
	struct wcm_known_module module = { .map.lo = lo, .number = 1 };
	struct wcm_rule rule = rule_of(3);

	wcm__rule_cache_put_in(&rule, lo + (1 << 25) - 1, &module);
	CHECK_EQ(words_in(lo + (1 << 25) - 1, &module), 3);
	wcm__rule_cache_put_in(&rule, lo + (1 << 25), &module);
	CHECK_EQ(words_in(lo + (1 << 25), &module), -1);
	module.number = 2;
	CHECK_EQ(words_in(lo, &module), -1); /* where the one above would be */
	module.number = 1 << 22;
	wcm__rule_cache_put_in(&rule, lo, &module);
	CHECK_EQ(words_in(lo, &module), -1);
}

RUN(gives_back_what_was_put, answers_for_no_other_pc,
    forgets_one_of_two_that_share_a_slot, leaves_out_what_does_not_fit,
    tells_a_library_from_the_one_that_was_there_before,
    leaves_out_modules_that_are_too_big_or_too_many)
