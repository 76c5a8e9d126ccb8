/* SPDX-License-Identifier: MIT */
/* step.h (SAFE) - moving one frame up by its rule. */
#ifndef WCM_UNWIND_STEP_H
#define WCM_UNWIND_STEP_H

#include "core/arch/rule.h"
#include "core/os/read.h"
#include "whocallme/stack.h"

/* Move REGS from a function, whose frame RULE describes and which lies on
 * STACK, to its caller.  Any answer but WCM_STOP_NONE leaves REGS as they were. */
enum wcm_stop wcm__step(struct wcm_regs *regs, const struct wcm_rule *rule,
			const struct wcm_span *stack);

#endif
