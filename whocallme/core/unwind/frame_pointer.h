/* SPDX-License-Identifier: MIT */
/* frame_pointer.h (SAFE) - the constant rule of a frame-pointer chain. */
#ifndef WCM_UNWIND_FRAME_POINTER_H
#define WCM_UNWIND_FRAME_POINTER_H

#include "core/unwind/step.h"

/* Move REGS to the caller along the frame-pointer chain, if there is one: the
 * register must point into STACK, of which WINDOW may be loaded from, and the word
 * beside it must be a return address.  Otherwise WCM_STOP_NO_RULE - a general
 * register that happens to point somewhere never invents a caller. */
enum wcm_stop wcm__frame_pointer_step(struct wcm_regs *regs,
				      const struct wcm_span *stack,
				      const struct wcm_span *window);

#endif
