/* SPDX-License-Identifier: MIT */
/* stride.c - many frames at once, by remembered rules.
 *
 * What a warm capture costs is decided here.  A frame whose rule is remembered
 * and plain, and whose caller is where it should be, takes a load from the cache
 * and one or two from the stack; at any other the stride ends, for wcm__step() to
 * say what is the matter.  The checks are those of step.c, but for what a rule
 * from the cache already promises.
 *
 * Each frame's place depends on the rule of the one before, which depends on its
 * pc: three loads, each waiting for another.  So the rule last met at the same
 * place of the stack is taken as foreseen, and the processor goes on by it while
 * the cache's answer is still under way.  What was foreseen is always compared
 * with that answer.
 */
#include "unwind/stride.h"

#include "arch/arch.h"
#include "unwind/rule_cache.h"
#include "unwind/stack_span.h"

enum { WORD = sizeof(uintptr_t), FORESEEN = 128, STACK_ALIGNMENT = 16 };

#define FRAME_POINTER_RULE                                                  \
	((uint64_t)(WCM_RULE_VALID | WCM_RULE_BY_FP | 2 << WCM_RULE_FP_AT | \
		    2 << WCM_RULE_CFA_AT))

/* The rule last met where sp was, in any code. */
static __thread uint32_t foreseen[FORESEEN]
	__attribute__((tls_model("initial-exec")));

/* The compiler shall not know that two values are the same, or it would wait for
 * the second in place of the first. */
static inline uint64_t opaque(uint64_t value)
{
	__asm__("" : "+r"(value));
	return value;
}

/* REMEMBERED, what the cache says of the frame at SP, or 0 if that is nothing:
 * by way of what is foreseen. */
static inline uint64_t foresee(uint64_t remembered, uintptr_t sp)
{
	uint32_t *expected = &foreseen[sp / STACK_ALIGNMENT % FORESEEN];
	uint64_t rule = opaque(*expected);

	if (__builtin_expect(opaque(rule) != remembered, 0)) {
		if (remembered >> WCM_RULE_BITS != 0)
			return 0;
		*expected = (uint32_t)remembered;
		return remembered;
	}
	return rule;
}

__attribute__((no_sanitize("address"))) static inline uintptr_t
load(uintptr_t addr)
{
	return ((const struct wcm_any_word *)addr)->value;
}

static bool is_plausible(uintptr_t ra)
{
	return ra != 0 && ra >> WCM_RULE_PC_BITS == 0;
}

static size_t count_plausible(const struct wcm_frame *frames, size_t count)
{
	size_t i = 0;

	while (i < count && is_plausible(frames[i].pc))
		i++;
	return i;
}

size_t wcm__stride(struct wcm_regs *regs, struct wcm_span *window,
		   struct wcm_frame *frames, size_t room, bool *full)
{
	const struct wcm_regs start = *regs;
	uintptr_t top = window->hi;
	uintptr_t pc = regs->pc, sp = regs->sp, fp = regs->fp, seen = pc;
	size_t count = 0;

	*full = false;
	if (!wcm__span_holds(window, sp, 2 * WORD) || sp % WORD != 0 ||
	    !is_plausible(pc))
		return 0;
	for (;; count++) {
		uint64_t rule = wcm__rule_cache_peek(pc);
		uintptr_t caller_fp = fp, cfa;

		if (rule == FRAME_POINTER_RULE) {
			if (fp < sp || fp % WORD != 0)
				break;
			if (fp > top - 2 * WORD) {
				if (!wcm__stack_reach(window, fp + WORD))
					break;
				top = window->hi;
			}
			cfa = fp + 2 * WORD;
			caller_fp = load(fp);
		} else {
			uint64_t fp_words;

			rule = foresee(rule, sp);
			if ((rule & (WCM_RULE_VALID | WCM_RULE_OUTERMOST |
				     WCM_RULE_BY_FP)) != WCM_RULE_VALID)
				break;
			cfa = sp + (rule >> WCM_RULE_CFA_AT) * WORD;
			if (cfa > top) {
				if (!wcm__stack_reach(window, cfa - WORD))
					break;
				top = window->hi;
			}
			fp_words = rule >> WCM_RULE_FP_AT &
				   ((1 << WCM_RULE_FP_BITS) - 1);
			if (fp_words)
				caller_fp = load(cfa - fp_words * WORD);
		}
		if (count == room) {
			*full = is_plausible(load(cfa - WORD));
			break;
		}
		pc = load(cfa - WORD);
		seen |= pc;
		sp = cfa;
		fp = caller_fp;
		frames[count] = (struct wcm_frame){ .pc = pc };
	}
	*regs = (struct wcm_regs){ .pc = pc, .sp = sp, .fp = fp };
	if (is_plausible(seen) && pc != 0)
		return count;
	/* Garbage was met; up to there the stack is as it was. */
	*regs = start;
	count = wcm__stride(regs, window, frames,
			    count_plausible(frames, count), full);
	*full = false;
	return count;
}
