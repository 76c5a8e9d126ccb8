/* SPDX-License-Identifier: MIT */
/* test_stride.c - stacks made by hand, left by remembered rules. */
#include "core/unwind/walk.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/arch/arch.h"
#include "core/unwind/rule_cache.h"
#include "core/unwind/stack_span.h"
#include "support/check.h"

enum { W = sizeof(uintptr_t), WORDS = 4096, CODE = 0x400000, ROOM = 64 };

/* Return addresses that nothing is remembered for. */
enum { NEW = CODE + 0x80004, NEWER = NEW + 4, NEWEST = NEW + 8 };

/* Behind the last word is a page that nobody may read. */
static uintptr_t *stack;
static struct wcm_frame frames[ROOM];

__attribute__((constructor)) static void make_stack(void)
{
	enum { LARGEST_PAGE = 65536 };
	char *memory = mmap(NULL, 2 * LARGEST_PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED || mprotect(memory + LARGEST_PAGE, LARGEST_PAGE, PROT_NONE))
		_exit(99);
	stack = (uintptr_t *)(memory + LARGEST_PAGE) - WORDS;
}

/* In place of core/unwind/stack_span.c: there is no more than was given. */
bool wcm__stack_reach(struct wcm_span *window, uintptr_t addr)
{
	return wcm__span_holds(window, addr, W);
}

static uintptr_t at(size_t word)
{
	return (uintptr_t)&stack[word];
}

/* The address that call number I returns to, by RULE from then on. */
static uintptr_t call(unsigned i, struct wcm_rule rule)
{
	uintptr_t ra = CODE + 0x40 * i;

	wcm__rule_cache_put(&rule, ra - 1, 0);
	return ra;
}

static struct wcm_rule by_sp(int words)
{
	return (struct wcm_rule){ .base = WCM_BASE_SP, .cfa_off = words * W,
				  .ra_saved = true, .ra_off = -W };
}

static struct wcm_rule by_sp_with_fp(int words, int below)
{
	struct wcm_rule rule = by_sp(words);

	rule.fp_saved = true;
	rule.fp_off = (int16_t)(-below * W);
	return rule;
}

static const struct wcm_rule by_fp = {
	.base = WCM_BASE_FP, .cfa_off = 2 * W, .ra_saved = true, .ra_off = -W,
	.fp_saved = true, .fp_off = -2 * W,
};

static size_t stride(struct wcm_regs *regs, size_t room, enum wcm_stop *stop)
{
	struct wcm_span span = { at(0), at(WORDS) };
	struct wcm_rules rules;

	memset(frames, 0xee, sizeof(frames));
	rules = wcm__rules();
	return wcm__stride(regs, &rules, &span, frames, room, stop);
}

/* How many frames there are from word 0 on, FP being at word FP; there is room
 * for more. */
static size_t length(uintptr_t pc, size_t fp)
{
	struct wcm_regs regs = { .pc = pc, .sp = at(0), .fp = at(fp) };
	enum wcm_stop stop;
	size_t count = stride(&regs, ROOM, &stop);

	CHECK_EQ(stop, WCM_STOP_NONE);
	return count;
}

TEST(follows_frame_pointers)
{
	struct wcm_regs regs = { .pc = call(1, by_fp), .sp = at(0),
				 .fp = at(2) };
	enum wcm_stop stop;

	stack[2] = at(8);
	stack[3] = call(2, by_fp);
	stack[8] = 0;
	stack[9] = NEW;
	CHECK_EQ(stride(&regs, ROOM, &stop), 2);
	CHECK_EQ(stop, WCM_STOP_NONE);
	CHECK_EQ(frames[0].pc, stack[3]);
	CHECK_EQ(frames[1].pc, NEW);
	CHECK_EQ(frames[1].flags, 0);
	CHECK_EQ(frames[1].reserved, 0);
	CHECK_EQ(regs.pc, NEW);
	CHECK_EQ(regs.sp, at(10));
	CHECK_EQ(regs.fp, 0);
}

TEST(follows_the_stack_pointer_and_keeps_what_was_saved)
{
	struct wcm_regs regs = { .pc = call(3, by_sp(4)), .sp = at(0),
				 .fp = 77 };
	enum wcm_stop stop;

	stack[3] = call(4, by_sp_with_fp(6, 2));
	stack[8] = 99;
	stack[9] = NEW;
	CHECK_EQ(stride(&regs, ROOM, &stop), 2);
	CHECK_EQ(frames[0].pc, stack[3]);
	CHECK_EQ(regs.sp, at(10));
	CHECK_EQ(regs.fp, 99);
}

TEST(believes_the_cache_and_not_what_it_foresaw)
{
	uintptr_t one = call(5, by_sp(4)), other = call(6, by_sp(8));

	stack[3] = NEW;
	stack[7] = NEWER;
	for (int i = 0; i < 4; i++) {
		CHECK_EQ(length(one, 0), 1);
		CHECK_EQ(frames[0].pc, NEW);
		CHECK_EQ(length(other, 0), 1);
		CHECK_EQ(frames[0].pc, NEWER);
		CHECK_EQ(length(NEWEST, 0), 0);
	}
	call(5, by_sp(8)); /* what was remembered is replaced */
	CHECK_EQ(length(one, 0), 1);
	CHECK_EQ(frames[0].pc, NEWER);
}

TEST(leaves_a_frame_pointer_alone_that_points_nowhere)
{
	const uintptr_t pc = call(7, by_fp);
	struct wcm_regs regs = { .pc = pc, .sp = at(8) };
	const uintptr_t bad[] = { at(7), at(9) + 1, at(WORDS - 1), at(WORDS),
				  0, 8, UINTPTR_MAX - 7, UINTPTR_MAX - 15 };
	enum wcm_stop stop;

	stack[9] = stack[10] = stack[8] = NEW;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		regs.fp = bad[i];
		CHECK_EQ(stride(&regs, ROOM, &stop), 0);
		CHECK_EQ(regs.pc, pc);
		CHECK_EQ(regs.sp, at(8));
		CHECK_EQ(regs.fp, bad[i]);
	}
	regs.fp = at(8);
	CHECK_EQ(stride(&regs, ROOM, &stop), 1);
}

TEST(stays_on_the_stack)
{
	struct wcm_regs regs = { .pc = call(8, by_sp(4)) };
	enum wcm_stop stop;

	stack[WORDS - 1] = NEW;
	regs.sp = at(WORDS - 4);
	CHECK_EQ(stride(&regs, ROOM, &stop), 1);
	regs = (struct wcm_regs){ .pc = call(8, by_sp(4)),
				  .sp = at(WORDS - 3) };
	CHECK_EQ(stride(&regs, ROOM, &stop), 0);
	regs.sp = at(WORDS);
	CHECK_EQ(stride(&regs, ROOM, &stop), 0);
	regs.sp = at(0) - W;
	CHECK_EQ(stride(&regs, ROOM, &stop), 0);
	regs.sp = at(0) + 1;
	CHECK_EQ(stride(&regs, ROOM, &stop), 0);
}

TEST(ends_before_a_return_address_that_is_none)
{
	const uint64_t bad[] = { 0, UINT64_MAX, UINT64_C(1) << WCM_RULE_PC_BITS,
				 call(9, by_sp(4)) | UINT64_C(1) << 63, UINT64_C(1) << 63,
				 call(9, by_sp(4)) + 1 };
	/* Of 32 bits any address but 0 may be code, and where instructions are not aligned any
	 * byte may be. */
	const size_t most = sizeof(bad) / sizeof(*bad) - (WCM_CODE_SHIFT == 0);
	const size_t count = W == 8 ? most : 1;
	struct wcm_regs regs;
	enum wcm_stop stop;

	stack[3] = call(10, by_sp(4));
	stack[11] = NEW;
	for (size_t i = 0; i < count; i++) {
		stack[7] = (uintptr_t)bad[i];
		regs = (struct wcm_regs){ .pc = call(9, by_sp(4)),
					  .sp = at(0) };
		CHECK_EQ(stride(&regs, ROOM, &stop), 1);
		CHECK_EQ(stop, WCM_STOP_NONE);
		CHECK_EQ(regs.pc, stack[3]);
		CHECK_EQ(regs.sp, at(4));
		CHECK_EQ(stride(&regs, 0, &stop), 0);
		CHECK_EQ(stop, WCM_STOP_NONE);
	}
}

TEST(says_when_there_is_one_more_than_there_is_room_for)
{
	struct wcm_regs regs = { .pc = call(11, by_sp(4)), .sp = at(0) };
	enum wcm_stop stop;

	stack[3] = call(12, by_sp(4));
	stack[7] = NEW;
	CHECK_EQ(stride(&regs, 1, &stop), 1);
	CHECK_EQ(stop, WCM_STOP_FULL);
	CHECK_EQ(frames[0].pc, stack[3]);
	CHECK_EQ(frames[1].flags, 0xeeeeeeee);
	regs = (struct wcm_regs){ .pc = call(11, by_sp(4)), .sp = at(0) };
	CHECK_EQ(stride(&regs, 0, &stop), 0);
	CHECK_EQ(stop, WCM_STOP_FULL);
	regs = (struct wcm_regs){ .pc = call(11, by_sp(4)), .sp = at(0) };
	CHECK_EQ(stride(&regs, 2, &stop), 2);
	CHECK_EQ(stop, WCM_STOP_NONE);
}

TEST(ends_at_the_outermost_frame)
{
	struct wcm_regs regs = { .pc = call(17, by_sp(4)), .sp = at(0) };
	enum wcm_stop stop;

	stack[3] = call(13, (struct wcm_rule){ 0 });
	CHECK_EQ(stride(&regs, ROOM, &stop), 1);
	CHECK_EQ(stop, WCM_STOP_OUTERMOST);
	CHECK_EQ(frames[0].pc, stack[3]);
	CHECK_EQ(frames[0].flags, 0);
}

TEST(leaves_other_rules_to_others)
{
	struct wcm_rule rule = by_fp;

	stack[3] = stack[5] = NEW;
	rule.cfa_off = 4 * W;
	if (!WCM_HAS_LINK_REGISTER)
		CHECK_EQ(length(call(14, rule), 2), 0);
	rule = by_sp_with_fp(4, 6); /* saved below its own frame */
	CHECK_EQ(length(call(15, rule), 2), 0);
	rule = by_sp(0);
	CHECK_EQ(length(call(16, rule), 2), 0);
}

static struct wcm_rule linked(enum wcm_base base, int words, int ra, bool with_fp)
{
	return (struct wcm_rule){ .base = base, .cfa_off = words * W, .ra_saved = true,
				  .ra_off = (int16_t)(-ra * W), .fp_saved = with_fp,
				  .fp_off = (int16_t)(with_fp ? -(ra + 1) * W : 0) };
}

/* Anywhere in the frame, with the frame pointer below it or without, by either register. */
TEST(finds_where_a_link_register_is_saved)
{
	static const struct {
		int words, ra;
		bool with_fp;
	} places[] = {
		{ 4, 1, false }, { 4, 1, true }, { 4, 3, true }, { 4, 4, false },
		{ 30, 24, true }, { 400, 399, true }, { 400, 400, false }, { 400, 393, false },
		{ 2, 1, true }, { 4000, 3999, true },
	};
	enum wcm_stop stop;

	if (!WCM_HAS_LINK_REGISTER)
		SKIP("calls push the return address");
	for (size_t i = 0; i < 2 * sizeof(places) / sizeof(*places); i++) {
		const int words = places[i / 2].words, ra = places[i / 2].ra;
		const bool with_fp = places[i / 2].with_fp;
		const size_t base = i % 2 ? 8 : 0;
		struct wcm_regs regs = {
			.sp = at(0), .fp = at(8),
			.pc = call(100 + (unsigned)i, linked(base ? WCM_BASE_FP : WCM_BASE_SP,
							     words, ra, with_fp)),
		};

		memset(stack, 0x5a, WORDS * sizeof(*stack));
		stack[base + (size_t)(words - ra)] = NEW;
		if (with_fp)
			stack[base + (size_t)(words - ra) - 1] = 99;
		CHECK_EQ(stride(&regs, ROOM, &stop), 1);
		CHECK_EQ(regs.pc, NEW);
		CHECK_EQ(regs.sp, at(base + (size_t)words));
		CHECK_EQ(regs.fp, with_fp ? 99 : at(8));
	}
}

/* Neither end of the frame is near it; outside of the frame; the frame pointer elsewhere. */
TEST(leaves_places_of_a_link_register_that_a_slot_has_no_room_for)
{
	const struct wcm_rule rules[] = {
		linked(WCM_BASE_SP, 400, 200, true), linked(WCM_BASE_SP, 400, 392, true),
		linked(WCM_BASE_SP, 400, 25, false), linked(WCM_BASE_SP, 4, 4, true),
		linked(WCM_BASE_SP, 4, 5, false), linked(WCM_BASE_SP, 4, 0, false),
		{ .base = WCM_BASE_SP, .cfa_off = 4 * W, .ra_saved = true, .ra_off = -W,
		  .fp_saved = true, .fp_off = -3 * W },
		{ .base = WCM_BASE_SP, .cfa_off = 4 * W },
	};

	for (size_t i = 0; i < WORDS; i++)
		stack[i] = NEW;
	if (!WCM_HAS_LINK_REGISTER)
		SKIP("calls push the return address");
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		CHECK_EQ(length(call(200 + (unsigned)i, rules[i]), 2), 0);
}

RUN(follows_frame_pointers, follows_the_stack_pointer_and_keeps_what_was_saved,
    believes_the_cache_and_not_what_it_foresaw,
    leaves_a_frame_pointer_alone_that_points_nowhere, stays_on_the_stack,
    ends_before_a_return_address_that_is_none,
    says_when_there_is_one_more_than_there_is_room_for,
    ends_at_the_outermost_frame, leaves_other_rules_to_others,
    finds_where_a_link_register_is_saved,
    leaves_places_of_a_link_register_that_a_slot_has_no_room_for)
