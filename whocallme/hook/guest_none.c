/* SPDX-License-Identifier: MIT */
/* guest_none.c - guest.c and guest_rules.c for a libc that has no quick word on its
 * modules: nothing is remembered of code that can be unloaded.
 */
#include "hook/guest.h"
#include "hook/guest_rules.h"

const struct wcm_known_module *wcm__guest_find(uintptr_t pc)
{
	(void)pc;
	return NULL;
}

bool wcm__guest_rule_recall(struct wcm_guest_rule *rule, uintptr_t site)
{
	(void)rule, (void)site;
	return false;
}

bool wcm__guest_rule_find(struct wcm_guest_rule *rule, uintptr_t site)
{
	(void)rule, (void)site;
	return false;
}
