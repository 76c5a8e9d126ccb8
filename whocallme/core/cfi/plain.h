/* SPDX-License-Identifier: MIT */
/* plain.h (SAFE) - the compact rule of a pc, straight from the bytes of a table. */
#ifndef WCM_CFI_PLAIN_H
#define WCM_CFI_PLAIN_H

#include "core/arch/rule.h"
#include "core/modules/modules.h"

/* Find in TABLE, which is held, the rule of PC.  False where a part of what describes PC is
 * not of the kinds read here: fde.h and cfi.h have the answer then. */
bool wcm__plain_rule(struct wcm_rule *rule, const struct wcm_unwind_table *table,
		     uintptr_t pc);

#endif
