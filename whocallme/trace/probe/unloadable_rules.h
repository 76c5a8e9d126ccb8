/* SPDX-License-Identifier: MIT */
/* guest_rules.h - what is remembered of a frame in code that can be unloaded? */
#ifndef WCM_HOOK_GUEST_RULES_H
#define WCM_HOOK_GUEST_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/step.h"

struct wcm_guest_rule {
	struct wcm_rule rule;
	uintptr_t function; /* where the code begins that the rule's description is of */
};

/* The rule at SITE, code that is on the stack now, where a compact one holds there:
 * from memory, if it holds still, else looked up.  False where none does, or where the
 * dynamic linker has no quick word. */
bool wcm__guest_rule_find(struct wcm_guest_rule *rule, uintptr_t site);

/* The same where it is remembered, and the code can be unloaded. */
bool wcm__guest_rule_recall(struct wcm_guest_rule *rule, uintptr_t site);

#endif
