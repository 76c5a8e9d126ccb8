/* SPDX-License-Identifier: MIT */
/* test_walk.c - whole stacks made by hand, collected, in modules that carry no
 * call frame information. */
#include "core/unwind/walk.h"

#include "core/arch/arch.h"
#include "core/modules/modules.h"
#include "core/modules/place.h"
#include "core/os/read.h"
#include "core/unwind/rule_cache.h"
#include "support/check.h"
#include "support/fake_arch.h"
#include "support/fake_read.h"
#include "whocallme/symbol.h"

enum { W = sizeof(uintptr_t), STACK = 0x7000, FRAMES = 8 };

/* In place of core/modules/modules.c: a module that stays, and describes nothing. */
static bool stays;

bool wcm__modules_find_lasting_unwind(struct wcm_unwind_table *table, uintptr_t pc)
{
	(void)pc;
	*table = (struct wcm_unwind_table){ .held = true };
	return stays;
}

bool wcm__modules_find_unloadable_unwind(struct wcm_unwind_table *table, uintptr_t pc,
					 const struct wcm_hold *hold)
{
	(void)table, (void)pc, (void)hold;
	return false;
}

bool wcm__modules_hold_code(uintptr_t address, size_t size)
{
	return address >= FAKE_CODE && address + size <= FAKE_CODE_END;
}

bool wcm__module_find_mapped(struct wcm_module *module, uintptr_t address)
{
	(void)module, (void)address;
	return false;
}

enum wcm_place wcm__place_of(uintptr_t address)
{
	return wcm__modules_hold_code(address, 1) ? WCM_PLACE_CODE : WCM_PLACE_OTHER;
}

const struct wcm_known_module *wcm__modules_find_loaded(uintptr_t address)
{
	(void)address;
	return NULL;
}

/* In place of core/symbols/lookup.c. */
enum wcm_status wcm_symbol_peek(uintptr_t address, struct wcm_symbol *symbol)
{
	(void)address, (void)symbol;
	return WCM_ENOSYMS;
}

static uintptr_t at(size_t word)
{
	return STACK + word * W;
}

/* The frame pointer of a function that keeps its caller's in word WORD, and the return address
 * in the next one. */
static uintptr_t fp_of(size_t word)
{
	return at(word) - (uintptr_t)(wcm__arch_frame_rule.cfa_off + wcm__arch_frame_rule.fp_off);
}

/* Three functions: the innermost frame is at word 0, and word I holds its
 * caller's; the outermost has a zero frame pointer.  COUNT words of it can be read. */
static void lay_chain(size_t count)
{
	static uintptr_t chain[] = { 0, FAKE_CODE + 1, 0, FAKE_CODE + 2, 0, FAKE_CODE + 3 };

	chain[0] = fp_of(2);
	chain[2] = fp_of(4);
	fake_stack(at(0), chain, count);
}

static size_t collect(size_t cap, unsigned skip, struct wcm_frame *frames,
		      enum wcm_stop *stop)
{
	struct wcm_walk walk = { .file = { .pc = FAKE_CODE } };
	uintptr_t ra = FAKE_CODE;

	if (wcm__arch_frame_rule.base == WCM_BASE_NONE)
		SKIP("this CPU has no port");
	wcm__register_set(&walk.file, WCM_COLUMN_SP, at(0));
	wcm__register_set(&walk.file, WCM_COLUMN_FP, fp_of(0));
	wcm__read_memory(at(1), &ra, sizeof(ra));
	wcm__walk_start(&walk, (const void *)ra);
	return wcm__walk_collect(&walk, frames, cap, skip, stop);
}

TEST(collects_up_to_the_outermost_frame)
{
	struct wcm_frame frames[FRAMES];
	enum wcm_stop stop;

	lay_chain(6);
	CHECK_EQ(collect(FRAMES, 0, frames, &stop), 3);
	CHECK_EQ(stop, WCM_STOP_OUTERMOST);
	for (size_t i = 0; i < 3; i++) {
		CHECK_EQ(frames[i].pc, FAKE_CODE + 1 + i);
		/* The first is where the asking function returns to. */
		CHECK_EQ(frames[i].flags, i == 0 ? 0 : WCM_FRAME_GUESSED);
		CHECK_EQ(frames[i].reserved, 0);
	}
}

TEST(leaves_out_the_innermost)
{
	struct wcm_frame frames[FRAMES];
	enum wcm_stop stop;

	lay_chain(6);
	CHECK_EQ(collect(FRAMES, 2, frames, &stop), 1);
	CHECK_EQ(frames[0].pc, FAKE_CODE + 3);
	CHECK_EQ(collect(FRAMES, 3, frames, &stop), 0);
	CHECK_EQ(stop, WCM_STOP_OUTERMOST);
	CHECK_EQ(collect(FRAMES, 4000000000u, frames, &stop), 0);
	CHECK_EQ(stop, WCM_STOP_OUTERMOST);
}

TEST(says_when_the_array_is_full)
{
	struct wcm_frame frames[FRAMES] = { [2] = { .pc = 77 } };
	enum wcm_stop stop;

	lay_chain(6);
	CHECK_EQ(collect(2, 0, frames, &stop), 2);
	CHECK_EQ(stop, WCM_STOP_FULL);
	CHECK_EQ(frames[2].pc, 77);
	CHECK_EQ(collect(0, 0, NULL, &stop), 0);
	CHECK_EQ(stop, WCM_STOP_FULL);
}

TEST(is_not_full_when_the_last_frame_just_fits)
{
	struct wcm_frame frames[3];
	enum wcm_stop stop;

	lay_chain(6);
	CHECK_EQ(collect(3, 0, frames, &stop), 3);
	CHECK_EQ(stop, WCM_STOP_OUTERMOST);
}

TEST(needs_nobody_to_ask_for_the_reason)
{
	struct wcm_frame frames[FRAMES];

	lay_chain(6);
	CHECK_EQ(collect(FRAMES, 0, frames, NULL), 3);
}

TEST(keeps_the_frames_below_a_broken_one)
{
	struct wcm_frame frames[FRAMES];
	enum wcm_stop stop;

	lay_chain(4);
	CHECK_EQ(collect(FRAMES, 0, frames, &stop), 2);
	CHECK_EQ(stop, WCM_STOP_UNREADABLE);
}

TEST(bounds_a_cycle)
{
	const uintptr_t cycle[] = { fp_of(2), FAKE_CODE + 1,
				    fp_of(0), FAKE_CODE + 2 };
	struct wcm_frame frames[FRAMES];
	enum wcm_stop stop;

	fake_stack(at(0), cycle, 4);
	CHECK_EQ(collect(FRAMES, 0, frames, &stop), 2);
	CHECK_EQ(stop, WCM_STOP_NO_RULE);
}

TEST(knows_the_caller_of_a_function_without_a_frame)
{
	struct wcm_frame frames[FRAMES];
	enum wcm_stop stop;

	fake_stack(0, NULL, 0);
	CHECK_EQ(collect(FRAMES, 0, frames, &stop), 1);
	CHECK_EQ(frames[0].pc, FAKE_CODE);
	CHECK_EQ(stop, WCM_STOP_NO_RULE);
}

/* A handler's frame, the kernel's trampoline, the state it saved, and the frame
 * of the function that was interrupted. */
enum { CONTEXT = 2, INTERRUPTED = CONTEXT + FAKE_CONTEXT_WORDS };

static void lay_signal_frame(uintptr_t *words, struct fake_context context)
{
	words[0] = fp_of(INTERRUPTED);
	words[1] = FAKE_TRAMPOLINE;
	memcpy(&words[CONTEXT], &context, sizeof(context));
	words[INTERRUPTED] = 0;
	words[INTERRUPTED + 1] = FAKE_CODE + 9;
	fake_stack(at(0), words, INTERRUPTED + 2);
}

TEST(goes_on_below_a_signal)
{
	uintptr_t words[INTERRUPTED + 2];
	struct wcm_frame frames[FRAMES];
	enum wcm_stop stop;

	lay_signal_frame(words, (struct fake_context){
					.pc = FAKE_CODE + 0x77,
					.sp = at(INTERRUPTED),
					.fp = fp_of(INTERRUPTED) });
	CHECK_EQ(collect(FRAMES, 0, frames, &stop), 3);
	CHECK_EQ(stop, WCM_STOP_OUTERMOST);
	CHECK_EQ(frames[0].pc, FAKE_TRAMPOLINE);
	CHECK_EQ(frames[0].flags, WCM_FRAME_SIGNAL);
	CHECK_EQ(frames[1].pc, FAKE_CODE + 0x77);
	CHECK_EQ(frames[1].flags, WCM_FRAME_INTERRUPTED);
	CHECK_EQ(frames[2].pc, FAKE_CODE + 9);
	CHECK_EQ(frames[2].flags, WCM_FRAME_GUESSED);
}

/* A trampoline without a description is known by its code, which is read once. */
TEST(a_trampoline_is_remembered_where_its_module_stays)
{
	const struct fake_context interrupted = { .pc = FAKE_CODE + 0x77, .sp = at(INTERRUPTED) };
	uintptr_t words[INTERRUPTED + 2];
	struct wcm_frame frames[FRAMES];

	for (int pass = 0; pass < 2; pass++) {
		const struct wcm_rules rules = wcm__rules();
		struct wcm_rule rule = { .base = WCM_BASE_NONE };

		stays = pass == 1;
		lay_signal_frame(words, interrupted);
		collect(FRAMES, 0, frames, NULL);
		CHECK_EQ(frames[0].flags, WCM_FRAME_SIGNAL);
		CHECK_EQ(wcm__rule_cache_get(&rule, &rules, FAKE_TRAMPOLINE - 1), stays);
		CHECK_EQ(rule.base, stays ? WCM_BASE_SIGNAL : WCM_BASE_NONE);
	}
	stays = false;
}

TEST(finds_the_caller_of_a_call_to_nowhere)
{
	uintptr_t words[INTERRUPTED + 2];
	struct wcm_frame frames[FRAMES];
	enum wcm_stop stop;

	lay_signal_frame(words, (struct fake_context){
					.pc = 0,
					.sp = at(INTERRUPTED + 1),
					.fp = 0,
					.fetch_failed = 1,
					.lr = FAKE_CODE + 9 });
	CHECK_EQ(collect(FRAMES, 0, frames, &stop), 3);
	CHECK_EQ(frames[1].pc, 0);
	CHECK_EQ(frames[1].flags, WCM_FRAME_INTERRUPTED);
	CHECK_EQ(frames[2].pc, FAKE_CODE + 9);
	CHECK_EQ(stop, WCM_STOP_NO_RULE);
}

TEST(does_not_invent_the_caller_of_a_call_to_nowhere)
{
	uintptr_t words[INTERRUPTED + 2];
	struct wcm_frame frames[FRAMES];
	enum wcm_stop stop;

	lay_signal_frame(words, (struct fake_context){
					.pc = 0,
					.sp = at(INTERRUPTED),
					.fetch_failed = 1,
					.lr = 0x1234 });
	words[INTERRUPTED] = 0x1234;
	CHECK_EQ(collect(FRAMES, 0, frames, &stop), 2);
	CHECK_EQ(stop, WCM_STOP_NO_RULE);
}

/* The kernel has left the trampoline's address where a call leaves the return address. */
TEST(goes_on_below_a_signal_whose_handler_is_nowhere)
{
	enum { RETURN = FAKE_CONTEXT_WORDS, BEHIND = RETURN + !WCM_HAS_LINK_REGISTER,
	       END = BEHIND + FAKE_CONTEXT_WORDS };
	const struct fake_context nowhere = { .pc = 0, .sp = at(RETURN), .fetch_failed = 1,
					      .lr = FAKE_TRAMPOLINE };
	const struct fake_context interrupted = { .pc = FAKE_CODE + 0x77, .sp = at(END) };
	uintptr_t words[END] = { [RETURN] = FAKE_TRAMPOLINE };
	struct wcm_frame frames[FRAMES];
	struct wcm_walk walk;
	enum wcm_stop stop;

	if (wcm__arch_frame_rule.base == WCM_BASE_NONE)
		SKIP("this CPU has no port");
	memcpy(words, &nowhere, sizeof(nowhere));
	memcpy(&words[BEHIND], &interrupted, sizeof(interrupted));
	fake_stack(at(0), words, END);
	wcm__walk_start_context(&walk, (const void *)at(0));
	CHECK_EQ(wcm__walk_collect(&walk, frames, FRAMES, 0, &stop), 3);
	CHECK_EQ(frames[0].pc, 0);
	CHECK_EQ(frames[0].flags, WCM_FRAME_INTERRUPTED);
	CHECK_EQ(frames[1].pc, FAKE_TRAMPOLINE);
	CHECK_EQ(frames[1].flags, WCM_FRAME_SIGNAL);
	CHECK_EQ(frames[2].pc, FAKE_CODE + 0x77);
	CHECK_EQ(frames[2].flags, WCM_FRAME_INTERRUPTED);
}

TEST(stops_at_a_signal_frame_that_leads_back_to_itself)
{
	enum { MANY = 1000 };
	static struct wcm_frame many[MANY];
	uintptr_t words[INTERRUPTED + 2];
	enum wcm_stop stop;

	lay_signal_frame(words, (struct fake_context){
					.pc = FAKE_TRAMPOLINE,
					.sp = at(CONTEXT) });
	/* As often as an alternate stack may lie above the other, no more. */
	CHECK(collect(MANY, 0, many, &stop) < MANY);
	CHECK_EQ(stop, WCM_STOP_BAD_FRAME);
}

TEST(starts_at_the_interrupted_instruction)
{
	const struct fake_context context = { .pc = FAKE_CODE + 5,
					      .sp = STACK };
	struct wcm_frame frames[FRAMES];
	struct wcm_walk walk;
	enum wcm_stop stop;

	fake_stack(0x9000, (const uintptr_t *)&context, FAKE_CONTEXT_WORDS);
	wcm__walk_start_context(&walk, (const void *)0x9000);
	CHECK_EQ(wcm__walk_collect(&walk, frames, FRAMES, 0, &stop), 1);
	CHECK_EQ(frames[0].pc, FAKE_CODE + 5);
	CHECK_EQ(frames[0].flags, WCM_FRAME_INTERRUPTED);
	/* Interrupted code may hold a zero that is no frame pointer. */
	CHECK_EQ(stop, WCM_STOP_NO_RULE);
}

TEST(has_no_frame_where_the_context_cannot_be_read)
{
	struct wcm_frame frames[FRAMES];
	struct wcm_walk walk;
	enum wcm_stop stop;

	fake_stack(0, NULL, 0);
	wcm__walk_start_context(&walk, (const void *)0x9000);
	CHECK_EQ(wcm__walk_collect(&walk, frames, FRAMES, 0, &stop), 0);
	CHECK_EQ(stop, WCM_STOP_UNREADABLE);
}

RUN(collects_up_to_the_outermost_frame, leaves_out_the_innermost,
    says_when_the_array_is_full, is_not_full_when_the_last_frame_just_fits,
    needs_nobody_to_ask_for_the_reason, keeps_the_frames_below_a_broken_one,
    a_trampoline_is_remembered_where_its_module_stays, bounds_a_cycle,
    knows_the_caller_of_a_function_without_a_frame,
    goes_on_below_a_signal, finds_the_caller_of_a_call_to_nowhere,
    does_not_invent_the_caller_of_a_call_to_nowhere,
    goes_on_below_a_signal_whose_handler_is_nowhere,
    stops_at_a_signal_frame_that_leads_back_to_itself,
    starts_at_the_interrupted_instruction,
    has_no_frame_where_the_context_cannot_be_read)
