/* SPDX-License-Identifier: MIT */
/* guess.h (SAFE) - the caller of a frame that nothing describes. */
#ifndef WCM_UNWIND_GUESS_H
#define WCM_UNWIND_GUESS_H

#include "core/unwind/step.h"

/* Move REGS to the caller of FRAME, where they stand, by a chain of frame pointers or by the
 * function's first instructions, which are asked first if PROLOGUE_FIRST.  *ON_CHAIN says
 * whether a chain has led to FRAME, and then whether one leads on. */
enum wcm_stop wcm__guess(struct wcm_regs *regs, const struct wcm_frame *frame,
			 const struct wcm_span *stack, const struct wcm_span *window,
			 bool prologue_first, bool *on_chain);

/* Whether a chain leads to the pair of frame pointer and return address, which where a link
 * register is saved lies anywhere in its frame: where that ends, the chain does not tell. */
bool wcm__chain_is_of_pairs(void);

/* Whether FRAME's pc is that of no call, so that the program has put it there. */
bool wcm__frame_is_planted(const struct wcm_frame *frame);

/* frame_pointer.c: the constant rule of a frame-pointer chain. */

/* Move REGS to the caller along the frame-pointer chain, if there is one: the
 * register must point into STACK, of which WINDOW may be loaded from, and the word
 * beside it must be a return address.  Otherwise WCM_STOP_NO_RULE - a general
 * register that happens to point somewhere never invents a caller. */
enum wcm_stop wcm__frame_pointer_step(struct wcm_regs *regs,
				      const struct wcm_span *stack,
				      const struct wcm_span *window);

#endif
