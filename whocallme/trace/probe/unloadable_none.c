/* SPDX-License-Identifier: MIT */
/* unloadable_none.c - stands in for unloadable.c and unloadable_rules.c.
 *
 * It is for a libc that cannot say quickly which modules it has loaded: nothing is
 * remembered of code that can be unloaded.
 */
#include "trace/names/unloadable.h"
#include "trace/probe/unloadable_rules.h"

const struct wcm_known_module *wcm__unloadable_find(uintptr_t pc)
{
	(void)pc;
	return NULL;
}

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
