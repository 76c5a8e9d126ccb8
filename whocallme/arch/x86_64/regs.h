/* SPDX-License-Identifier: MIT */
/* x86_64/regs.h - the System V psABI's frame, as rules. */
#ifndef WCM_ARCH_REGS_H
#define WCM_ARCH_REGS_H

static inline uintptr_t wcm__arch_strip(uintptr_t ra)
{
	return ra;
}

/* push %rbp; mov %rsp,%rbp */
static const struct wcm_rule wcm__arch_frame_rule = {
	.base = WCM_BASE_FP, .cfa_off = 16,
	.ra_saved = true, .ra_off = -8,
	.fp_saved = true, .fp_off = -16,
};

/* call has just pushed the return address. */
static const struct wcm_rule wcm__arch_call_rule = {
	.base = WCM_BASE_SP, .cfa_off = 8,
	.ra_saved = true, .ra_off = -8,
};

#endif
