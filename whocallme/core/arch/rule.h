/* SPDX-License-Identifier: MIT */
/* rule.h (SAFE) - where a function left its caller, in the registers that nearly all rules speak
 * of. */
#ifndef WCM_ARCH_RULE_H
#define WCM_ARCH_RULE_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
