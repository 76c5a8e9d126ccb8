/* SPDX-License-Identifier: MIT */
/* unloadable_none.c (SAFE) - stands in for unloadable_rules.c.
 *
 * It is for a libc that cannot say quickly which modules it has loaded: nothing is
 * remembered of code that can be unloaded.
 */
#include "trace/engine/unloadable_rules.h"

bool wcm__unloadable_rule_recall(struct wcm_unloadable_rule *rule,
				 uintptr_t site)
{
	(void)rule, (void)site;
	return false;
}

bool wcm__unloadable_rule_find(struct wcm_unloadable_rule *rule, uintptr_t site)
{
	(void)rule, (void)site;
	return false;
}
