/* SPDX-License-Identifier: MIT */
/* stride.c (SAFE) - takes many frames at once, by remembered rules.
 *
 * This decides what a warm capture costs.  A frame whose rule is remembered and plain, and
 * whose caller is where it should be, takes a load from the cache and one or two from the
 * stack.  At any other frame the stride ends, and wcm__step() finds out what is wrong.  The
 * checks are those of step.c, less those that a rule from the cache has passed already.
 *
 * The place of each frame depends on the rule of the one before, and that on its pc: three
 * loads, each waiting for the one before.  So the CFA that was met last at the same place
 * of the stack is used as a prediction, with which the processor goes on while the answer
 * of the cache is under way; the prediction is always compared with that answer.  Stacks
 * that differ each time cannot be predicted, and an error costs more than the wait: after a
 * walk with many errors, the next walks do without.
 */
#include "core/unwind/walk.h"

#include "core/arch/arch.h"
#include "core/unwind/stack_span.h"

enum { WORD = sizeof(uintptr_t), FORESEEN = 128, STACK_ALIGNMENT = 16, STACKS = 64 };

/* Of a function that keeps the frame pointer, and the caller's where it points. */
#define FRAME_POINTER_RULE \
	(UINT64_C(2) | WCM_RULE_BY_FP | WCM_RULE_FP_SAVED | UINT64_C(1) << WCM_RULE_SLOT_AT)

/* The CFA last met where sp was, in words from there.  Each stack has entries of its own, if no
 * more than a few threads walk at a time: those that share some foresee less.  An entry is one load
 * and one store of 16 bits, and whatever it holds is compared with the cache's answer before it
 * counts. */
static uint16_t foreseen[STACKS][FORESEEN];

/* By 64 KiB: hardly a stack is smaller, and small ones lie side by side. */
static inline uint16_t *foreseen_on(uintptr_t sp)
{
	const uint32_t spread = 0x9e3779b1;
	uint16_t *of_stack = foreseen[((uint32_t)(sp >> 16) * spread) >> 26];

	/* Or the compiler would add it up for each frame. */
	__asm__("" : "+r"(of_stack));
	return of_stack;
}

/* How many strides are to do without. */
static __thread unsigned blind __attribute__((tls_model("initial-exec")));

/* The compiler shall not know where a value comes from: neither that two are the same,
 * or it would wait for the second in place of the first, nor when it is not needed. */
static inline uint64_t opaque(uint64_t value)
{
	__asm__("" : "+r"(value));
	return value;
}

/* WORDS, which the cache says of the frame at SP, by way of what is foreseen on its stack. */
static inline uint64_t foresee(uint64_t words, uint16_t *of_stack, uintptr_t sp, size_t *errors)
{
	uint16_t *expected = &of_stack[sp / STACK_ALIGNMENT % FORESEEN];
	uint64_t known = opaque(*expected);

	if (__builtin_expect(opaque(known) != words, 0)) {
		*expected = (uint16_t)words;
		++*errors;
		return words;
	}
	return known;
}

/* The sanitizer would take the words between variables for an error.  The type may alias any. */
__attribute__((no_sanitize("address"))) static inline uintptr_t
load(uintptr_t addr)
{
	return ((const struct wcm_any_word *)addr)->value;
}

/* A return address of 0, outside of what a process may map, or inside an instruction, is no
 * code.  The loop does not check each: it ors them together, and looks for the first bad one
 * only if there is one. */
static bool is_plausible(uintptr_t ra)
{
	return ra != 0 && (uint64_t)ra >> WCM_RULE_PC_BITS == 0 &&
	       ra % (1 << WCM_CODE_SHIFT) == 0;
}

static size_t count_plausible(const struct wcm_frame *frames, size_t count)
{
	size_t i = 0;

	while (i < count && is_plausible(frames[i].pc))
		i++;
	return i;
}

/* Why RULE, which is by the frame pointer and no chain, ends the stack, if it does. */
static inline enum wcm_stop stop_at(uint64_t rule)
{
	return (rule & WCM_RULE_ALL) == WCM_RULE_OUTERMOST ? WCM_STOP_OUTERMOST :
							     WCM_STOP_NONE;
}

/* Whether leave() can follow RULE.  Others are left to wcm__step(). */
static inline bool is_followed(uint64_t rule)
{
	return WCM_HAS_LINK_REGISTER ? (rule & WCM_RULE_CFA) != 0
				     : (rule & WCM_RULE_ALL) == FRAME_POINTER_RULE;
}

/* Whether WINDOW, which ends at *TOP, can be made to hold the word at ADDR. */
static inline bool extend(struct wcm_span *window, uintptr_t *top, uintptr_t addr)
{
	if (!wcm__stack_reach(window, addr))
		return false;
	*top = window->hi;
	return true;
}

/* Leave the frame of a function that keeps the frame pointer, at SP.  False where the caller is
 * not where it should be. */
static inline bool leave_chained(struct wcm_regs *caller, uintptr_t sp, uintptr_t fp,
				 struct wcm_span *window, uintptr_t *top)
{
	if (fp < sp || fp % WORD != 0 ||
	    (fp > *top - 2 * WORD && !extend(window, top, fp + WORD)))
		return false;
	*caller = (struct wcm_regs){ .pc = load(fp + WORD), .sp = fp + 2 * WORD, .fp = load(fp) };
	return true;
}

/* The same of a function that saves the link register, where its RULE says. */
static inline bool leave_linked(struct wcm_regs *caller, uint64_t rule, uintptr_t sp,
				uintptr_t fp, struct wcm_span *window, uintptr_t *top)
{
	const uintptr_t base = rule & WCM_RULE_BY_FP ? fp : sp;
	const uintptr_t words = (uintptr_t)(rule & WCM_RULE_CFA), cfa = base + words * WORD;
	const uintptr_t ra_at = wcm__rule_ra_at(rule, base, cfa);

	if (base < sp || base % WORD != 0 || cfa <= base ||
	    (cfa > *top && !extend(window, top, cfa - WORD)))
		return false;
	*caller = (struct wcm_regs){
		.pc = wcm__arch_strip(load(ra_at)),
		.sp = cfa,
		.fp = rule & WCM_RULE_FP_SAVED ? load(wcm__rule_fp_at(rule, ra_at)) : fp,
	};
	return true;
}

static inline bool leave(struct wcm_regs *caller, uint64_t rule, uintptr_t sp, uintptr_t fp,
			 struct wcm_span *window, uintptr_t *top)
{
	return WCM_HAS_LINK_REGISTER ? leave_linked(caller, rule, sp, fp, window, top)
				     : leave_chained(caller, sp, fp, window, top);
}

/* Kept apart from the caller's registers until the whole stride has proven to be sound. */
struct stride {
	struct wcm_regs regs;
	size_t count, errors;
	uintptr_t seen; /* all return addresses, or-ed */
	enum wcm_stop stop;
};

/* Written out twice, for a stride that foresees and for one that does not.  The invariant of the
 * loop: sp is aligned and lies in the window, so that [sp, top) can be read without a fault; pc
 * may be anything, as no entry of the cache is for garbage.  A frame pointer is used only
 * between sp and the top, so that a chain in a circle ends there.  A frame is looked at before
 * the room for it, since FULL says that there is one more. */
static inline __attribute__((always_inline)) void
run(struct stride *stride, const struct wcm_rules *rules, struct wcm_span *window,
    struct wcm_frame *frames, size_t room, bool foresees)
{
	const struct wcm_rules table = *rules;
	uintptr_t top = window->hi;
	uintptr_t pc = stride->regs.pc, seen = pc, sp = stride->regs.sp, fp = stride->regs.fp;
	uint16_t *const of_stack = foreseen_on(sp);
	size_t count = 0;

	for (;; count++) {
		const uint64_t key = wcm__rule_key(pc);
		uint64_t entry = wcm__rule_peek(&table, pc);
		uint64_t rule = entry ^ key;
		struct wcm_regs caller;

		if (__builtin_expect((rule & table.foreign) != 0, 0)) {
			entry = wcm__rule_search(rules, pc);
			rule = entry ^ key;
			if ((rule & table.foreign) != 0)
				break;
		}
		if (WCM_HAS_LINK_REGISTER || (rule & WCM_RULE_BY_FP)) {
			if (!is_followed(rule)) {
				stride->stop = stop_at(rule);
				break;
			}
			if (!leave(&caller, rule, sp, fp, window, &top))
				break;
		} else {
			/* The entry's own bits: the rule comes later. */
			uint64_t words = entry & WCM_RULE_CFA;

			if (words == 0) /* low garbage, whose key is that of none */
				break;
			if (foresees)
				words = foresee(words, of_stack, sp, &stride->errors);
			caller.sp = sp + (uintptr_t)words * WORD;
			if (caller.sp > top && !extend(window, &top, caller.sp - WORD))
				break;
			caller.pc = load(caller.sp - WORD);
			/* Loaded in any case: whether it is saved is as good as random. */
			caller.fp = load(caller.sp - WORD - wcm__rule_slot(rule) * WORD);
			caller.fp = (uintptr_t)opaque(caller.fp);
			caller.fp = rule & WCM_RULE_FP_SAVED ? caller.fp : fp;
		}
		if (count == room) {
			stride->stop = is_plausible(caller.pc) ? WCM_STOP_FULL : WCM_STOP_NONE;
			break;
		}
		pc = caller.pc;
		seen |= pc;
		sp = caller.sp;
		fp = caller.fp;
		frames[count] = (struct wcm_frame){ .pc = pc };
	}
	stride->regs = (struct wcm_regs){ .pc = pc, .sp = sp, .fp = fp };
	stride->count = count;
	stride->seen = seen;
}

/* By what is foreseen, or without. */
WCM_ARCH_HOT_LOOPS
static void go(struct stride *stride, const struct wcm_rules *rules,
	       struct wcm_span *window, struct wcm_frame *frames, size_t room)
{
	enum { FEW_OF = 8, REST = 64 };

	if (blind > 0) {
		/* Nearly all walks of a program are alike, or nearly none: what the last one met
		 * tells. */
		blind--;
		run(stride, rules, window, frames, room, false);
		return;
	}
	run(stride, rules, window, frames, room, true);
	if (stride->errors * FEW_OF > stride->count)
		blind = REST;
}

size_t wcm__stride(struct wcm_regs *regs, const struct wcm_rules *rules,
		   struct wcm_span *window, struct wcm_frame *frames, size_t room,
		   enum wcm_stop *stop)
{
	struct stride stride = { .regs = *regs };
	size_t count;

	*stop = WCM_STOP_NONE;
	if (!wcm__span_holds(window, regs->sp, 2 * WORD) || regs->sp % WORD != 0 ||
	    !is_plausible(regs->pc))
		return 0;
	go(&stride, rules, window, frames, room);
	if (is_plausible(stride.seen) && stride.regs.pc != 0) {
		/* Where the frame is the same, the link register is still known. */
		if (!WCM_HAS_LINK_REGISTER || stride.count > 0)
			*regs = stride.regs;
		*stop = stride.stop;
		return stride.count;
	}
	/* Garbage was met; up to there the stack is as it was.  The same frames again, up to the
	 * last sound one: their rules are still there, or the stride ends earlier, which is
	 * right as well. */
	count = count_plausible(frames, stride.count);
	stride = (struct stride){ .regs = *regs };
	go(&stride, rules, window, frames, count);
	*regs = stride.regs;
	return stride.count;
}
