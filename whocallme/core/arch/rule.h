/* SPDX-License-Identifier: MIT */
/* step.h - the rule of a frame, and moving one frame up by it. */
#ifndef WCM_UNWIND_STEP_H
#define WCM_UNWIND_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/read.h"
#include "whocallme/stack.h"

enum wcm_base { WCM_BASE_NONE, WCM_BASE_SP, WCM_BASE_FP, WCM_BASE_SIGNAL };

struct wcm_regs {
	uintptr_t pc, sp, fp, lr;
};

/* Where a function left its caller: CFA = base + cfa_off, the rest off the CFA. */
struct wcm_rule {
	int32_t cfa_off;
	int16_t ra_off, fp_off;
	uint8_t base; /* enum wcm_base; NONE marks a thread's first function, SIGNAL a
		       * trampoline, whose caller is in what the kernel saved */
	bool ra_saved, fp_saved;
};

/* Move REGS from a function, whose frame RULE describes and which lies on
 * STACK, to its caller.  Any answer but WCM_STOP_NONE leaves REGS as they were. */
enum wcm_stop wcm__step(struct wcm_regs *regs, const struct wcm_rule *rule,
			const struct wcm_span *stack);

#endif
