/* SPDX-License-Identifier: MIT */
/* prologue.h (SAFE) - the frame that a function made by the code it begins with. */
#ifndef WCM_UNWIND_PROLOGUE_H
#define WCM_UNWIND_PROLOGUE_H

#include "core/unwind/step.h"

/* Move REGS, which stand in the function around SITE, to its caller, by what the code
 * from the function's start to there took from the stack; WINDOW may be loaded from.
 * WCM_STOP_NO_RULE where no symbol says where the function starts, or what is found is
 * no return address of a call that leads there. */
enum wcm_stop wcm__prologue_step(struct wcm_regs *regs, uintptr_t site,
				 const struct wcm_span *window);

/* Whether the function around SITE, which has come to PC, keeps no frame pointer there: a chain
 * leads past who called it. */
bool wcm__prologue_lacks_chain(uintptr_t pc, uintptr_t site);

/* Whether REGS, interrupted, stand in data that was called as code, by a register that
 * has been changed since: there is no frame where a table that has all functions of its
 * module has none. */
bool wcm__prologue_is_none(const struct wcm_regs *regs, const struct wcm_span *window);

#endif
