/* SPDX-License-Identifier: MIT */
/* rule_cache.h - pc -> rule, lock-free. */
#ifndef WCM_UNWIND_RULE_CACHE_H
#define WCM_UNWIND_RULE_CACHE_H

#include "unwind/step.h"

/* The rule remembered for PC.  False where there is none. */
bool wcm__rule_cache_get(struct wcm_rule *rule, uintptr_t pc);

/* Remember RULE for PC, which lies in a module that is never unloaded; a rule or
 * a pc that does not fit is left out. */
void wcm__rule_cache_put(const struct wcm_rule *rule, uintptr_t pc);

#endif
