/* SPDX-License-Identifier: MIT */
/* stride.h - many frames at once, by remembered rules. */
#ifndef WCM_UNWIND_STRIDE_H
#define WCM_UNWIND_STRIDE_H

#include "unwind/step.h"
#include "whocallme/stack.h"

/* Go up the stack of WINDOW, which grows with it, from REGS, which stand at a return
 * address, as long as the cache has a plain rule; write each caller met to FRAMES, at
 * most ROOM.  Returns how many; REGS stand at the last of them. */
size_t wcm__stride(struct wcm_regs *regs, struct wcm_span *window,
		   struct wcm_frame *frames, size_t room, bool *full);

#endif
