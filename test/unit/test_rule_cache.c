/* SPDX-License-Identifier: MIT */
/* test_rule_cache.c - what is remembered, and for how long. */
#include "core/unwind/rule_cache.h"

#include "core/arch/arch.h"
#include "support/check.h"

enum { W = sizeof(uintptr_t), LEAST = WCM_RULE_LEAST_BYTES };

/* Code as libraries have theirs, on addresses of 64 bits or of 32. */
#define CODE(low) ((uintptr_t)(W == 8 ? UINT64_C(0x7f0000000000) + (low) : 0xf7000000 + (low)))

static struct wcm_rule rule_of(int words)
{
	return (struct wcm_rule){ .base = WCM_BASE_SP, .cfa_off = words * W,
				  .ra_saved = true, .ra_off = -W };
}

static int words_at(uintptr_t pc)
{
	const struct wcm_rules rules = wcm__rules();
	struct wcm_rule rule;

	return wcm__rule_cache_get(&rule, &rules, pc) ? rule.cfa_off / W : -1;
}

static void put(uintptr_t pc, int words)
{
	struct wcm_rule rule = rule_of(words);

	wcm__rule_cache_put(&rule, pc, 0);
}

static void put_told(uintptr_t pc, int words)
{
	struct wcm_rule rule = rule_of(words);

	wcm__rule_cache_put(&rule, pc, wcm__epoch());
}

static void unload(void)
{
	wcm__unloading_begin();
	wcm__unloading_end(true, wcm__rule_cache_forget_epochs);
}

TEST(gives_back_what_was_put)
{
	const struct wcm_rule rules[] = {
		{ .base = WCM_BASE_NONE },
		{ .base = WCM_BASE_SP, .cfa_off = W, .ra_saved = true,
		  .ra_off = -W },
		{ .base = WCM_BASE_SP, .cfa_off = 32767 * W, .ra_saved = true,
		  .ra_off = -W, .fp_saved = true,
		  .fp_off = WCM_HAS_LINK_REGISTER ? -2 * W : -32 * W },
		{ .base = WCM_BASE_FP, .cfa_off = 2 * W, .ra_saved = true,
		  .ra_off = -W, .fp_saved = true, .fp_off = -2 * W },
	};
	struct wcm_rule got;

	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		struct wcm_rules table;

		wcm__rule_cache_put(&rules[i], 0x121234, 0);
		table = wcm__rules();
		CHECK(wcm__rule_cache_get(&got, &table, 0x121234));
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
	const uintptr_t pc = CODE(0x345678);

	put(pc, 3);
	CHECK_EQ(words_at(pc), 3);
	for (int bit = WCM_CODE_SHIFT; bit < 8 * W; bit++)
		CHECK_EQ(words_at(pc ^ (uintptr_t)1 << bit), -1);
	CHECK_EQ(words_at(0), -1);
	CHECK_EQ(words_at(UINTPTR_MAX), -1);
	wcm__rule_cache_limit(LEAST); /* in growing some is lost */
	for (uintptr_t low = 0; low < 2 * LEAST; low += 7) {
		put(low, 3);
		CHECK_EQ(words_at(low), low + 1 < LEAST ? -1 : 3);
	}
}

/* Sites that choose the same line of a table of any size. */
static uintptr_t site(unsigned i)
{
	return 0x10000000 + (uintptr_t)i * WCM_RULE_MOST_BYTES;
}

TEST(keeps_eight_to_a_line)
{
	int kept = 0;

	for (unsigned i = 0; i < WCM_RULE_WAYS; i++)
		put(site(i), (int)i + 1);
	for (unsigned i = 0; i < WCM_RULE_WAYS; i++)
		CHECK_EQ(words_at(site(i)), i + 1);
	put(site(3), 77); /* the same site again: nothing else goes */
	for (unsigned i = 0; i < WCM_RULE_WAYS; i++)
		CHECK_EQ(words_at(site(i)), i == 3 ? 77 : i + 1);
	put(site(100), 100);
	CHECK_EQ(words_at(site(100)), 100);
	for (unsigned i = 0; i < WCM_RULE_WAYS; i++)
		kept += words_at(site(i)) != -1;
	CHECK_EQ(kept, WCM_RULE_WAYS - 1);
}

TEST(fills_a_line_before_it_takes_what_can_be_unloaded)
{
	for (unsigned i = 20; i < 20 + WCM_RULE_WAYS; i++)
		if (i % 2)
			put_told(site(i) + 0x200, (int)i);
		else
			put(site(i) + 0x200, (int)i);
	for (unsigned i = 20; i < 20 + WCM_RULE_WAYS; i++)
		CHECK_EQ(words_at(site(i) + 0x200), i);
}

TEST(leaves_out_what_does_not_fit)
{
	struct wcm_rule rule = rule_of(4);
	const uintptr_t pc = 0x700000;

	rule.fp_saved = true;
	rule.fp_off = -5 * W; /* below the frame */
	wcm__rule_cache_put(&rule, pc, 0);
	rule.fp_off = W;
	wcm__rule_cache_put(&rule, pc, 0);
	rule = rule_of(100);
	rule.fp_saved = true;
	rule.fp_off = -33 * W;
	wcm__rule_cache_put(&rule, pc, 0);
	rule = rule_of(4);
	rule.ra_off = WCM_HAS_LINK_REGISTER ? -5 * W : -2 * W;
	wcm__rule_cache_put(&rule, pc, 0);
	rule = rule_of(4);
	rule.cfa_off++;
	wcm__rule_cache_put(&rule, pc, 0);
	put(pc, 0);
	put(pc, -4);
	put(pc, 32768);
	CHECK_EQ(words_at(pc), -1);
	put((uintptr_t)((UINT64_C(1) << WCM_RULE_PC_BITS) - 1), 4);
	CHECK_EQ(words_at((uintptr_t)((UINT64_C(1) << WCM_RULE_PC_BITS) - 1)), -1);
}

TEST(forgets_at_an_unloading_what_can_be_unloaded)
{
	const uintptr_t stays = CODE(0x1234), goes = CODE(0x5678);

	put(stays, 3);
	put_told(goes, 4);
	CHECK_EQ(words_at(goes), 4);
	wcm__unloading_begin();
	CHECK_EQ(words_at(stays), 3);
	CHECK_EQ(words_at(goes), -1);
	wcm__unloading_end(true, wcm__rule_cache_forget_epochs);
	CHECK_EQ(words_at(stays), 3);
	CHECK_EQ(words_at(goes), -1);
	put_told(goes, 5);
	CHECK_EQ(words_at(goes), 5);
	wcm__unloading_begin();
	wcm__unloading_end(false, wcm__rule_cache_forget_epochs); /* nothing was unloaded */
	CHECK_EQ(words_at(goes), 5);
}

TEST(believes_no_number_that_has_returned)
{
	const uintptr_t goes = CODE(0x5678);

	for (int round = 0; round < 4 * WCM_EPOCHS; round++) {
		put_told(goes, 5);
		CHECK_EQ(words_at(goes), 5);
		for (int i = 0; i < 3 * WCM_EPOCHS; i++) {
			unload();
			CHECK_EQ(words_at(goes), -1);
		}
		unload(); /* another number next time */
	}
}

TEST(two_unloadings_at_once_end_a_round_too)
{
	const uintptr_t goes = CODE(0x5678);

	for (int round = 0; round < 4 * WCM_EPOCHS; round++) {
		put_told(goes, 5);
		for (int i = 0; i < 2 * WCM_EPOCHS; i++) {
			wcm__unloading_begin();
			unload();
			CHECK_EQ(words_at(goes), -1);
			wcm__unloading_end(true, wcm__rule_cache_forget_epochs);
			CHECK_EQ(words_at(goes), -1);
		}
		unload();
	}
}

TEST(holding_and_unloading_see_each_other)
{
	struct wcm_hold one, other;

	CHECK(!wcm__hold(&one)); /* nothing is told */
	wcm__unloading_is_told = true;
	CHECK(wcm__hold(&one));
	CHECK(wcm__hold(&other));
	wcm__unloading_begin();
	CHECK(wcm__is_held());
	wcm__release(&one);
	CHECK(wcm__is_held());
	CHECK(!wcm__hold(&one));
	wcm__unloading_call_off(); /* the other one never lets go */
	CHECK(!wcm__is_held());
	CHECK(wcm__hold(&one));
	wcm__release(&other); /* too late: it counts no more */
	CHECK(wcm__is_held());
	wcm__release(&one);
	CHECK(!wcm__is_held());
	CHECK(wcm__hold(&one));
	wcm__unloading_begin();
	wcm__unloading_forked(); /* in the middle of it */
	CHECK(!wcm__is_held());
	CHECK_EQ(wcm__epoch(), 0);
	wcm__release(&one);
	CHECK(!wcm__is_held());
	wcm__unloading_end(true, wcm__rule_cache_forget_epochs);
	CHECK(wcm__epoch() != 0);
	wcm__unloading_is_told = false;
}

/* As code has them: a call every twenty bytes or so, here and there. */
static uintptr_t scattered(unsigned i)
{
	return 0x400000 + 20 * (uintptr_t)i + (i >> 9) % 7 * 1000003;
}

static unsigned count_kept(unsigned count)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < count; i++)
		kept += words_at(scattered(i)) == (int)(i % 1000 + 1);
	return kept;
}

static void put_scattered(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (words_at(scattered(i)) == -1)
			put(scattered(i), (int)(i % 1000 + 1));
}

TEST(grows_with_what_is_met_and_no_further_than_it_may)
{
	enum { MANY = 20000 };
	const size_t before = wcm__rule_cache_bytes();

	wcm__rule_cache_limit(4 * before);
	put_scattered(MANY);
	CHECK_EQ(wcm__rule_cache_bytes(), 4 * before);
	wcm__rule_cache_limit(SIZE_MAX);
	for (int i = 0; i < 4; i++) /* what is lost in growing comes again */
		put_scattered(MANY);
	printf("# %zu bytes, %u kept\n", wcm__rule_cache_bytes(), count_kept(MANY));
	CHECK(wcm__rule_cache_bytes() <= (size_t)MANY * 64);
	CHECK(count_kept(MANY) > MANY - MANY / 50);
	for (unsigned i = 0; i < 10 * WCM_RULE_MOST_BYTES / 64; i++)
		put(0x10000000 + 48 * (uintptr_t)i, 2);
	CHECK_EQ(wcm__rule_cache_bytes(), WCM_RULE_MOST_BYTES);
}

RUN(gives_back_what_was_put, answers_for_no_other_pc, keeps_eight_to_a_line,
    fills_a_line_before_it_takes_what_can_be_unloaded,
    leaves_out_what_does_not_fit, forgets_at_an_unloading_what_can_be_unloaded,
    believes_no_number_that_has_returned, two_unloadings_at_once_end_a_round_too,
    holding_and_unloading_see_each_other,
    grows_with_what_is_met_and_no_further_than_it_may)
