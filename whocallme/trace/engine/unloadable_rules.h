/* SPDX-License-Identifier: MIT */
/* unloadable_rules.h (SAFE) - remembers the frame rules of code that can be unloaded. */
#ifndef WCM_FRAME_UNLOADABLE_RULES_H
#define WCM_FRAME_UNLOADABLE_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/unwind/step.h"

struct wcm_unloadable_rule {
	struct wcm_rule rule;
	uintptr_t function; /* where the code begins that the rule's description is of */
};

/* The rule at SITE, code that is on the stack now, where a compact one holds there:
 * from memory, if it holds still, else looked up.  False where none does, or where the
 * dynamic linker has no quick word. */
bool wcm__unloadable_rule_find(struct wcm_unloadable_rule *rule,
			       uintptr_t site);

/* The same where it is remembered, and the code can be unloaded. */
bool wcm__unloadable_rule_recall(struct wcm_unloadable_rule *rule,
				 uintptr_t site);

#endif
