/* SPDX-License-Identifier: MIT */
/* stride.h (SAFE) - many frames at once, by remembered rules. */
#ifndef WCM_UNWIND_STRIDE_H
#define WCM_UNWIND_STRIDE_H

#include "core/unwind/rule_cache.h"
#include "core/unwind/step.h"
#include "whocallme/stack.h"

/* Go up the stack of WINDOW, which grows with it, from REGS, which stand at a return
 * address, as long as RULES have a plain one; write each caller met to FRAMES, at most
 * ROOM.  Returns how many; REGS stand at the last of them.  *STOP says whether that is all:
 * there is one more, or none; else it is for wcm__step() to say. */
size_t wcm__stride(struct wcm_regs *regs, const struct wcm_rules *rules,
		   struct wcm_span *window, struct wcm_frame *frames, size_t room,
		   enum wcm_stop *stop);

#endif
