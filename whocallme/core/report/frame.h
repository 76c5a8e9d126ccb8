/* SPDX-License-Identifier: MIT */
/* frame.h (SAFE) - the name of a frame: function, PLT stub, signal trampoline, or ??. */
#ifndef WCM_REPORT_FRAME_H
#define WCM_REPORT_FRAME_H

#include "core/symbols/dlopen_names.h"
#include "core/symbols/jit_names.h"
#include "whocallme/stack.h"
#include "whocallme/symbol.h"

typedef enum wcm_status wcm_peek(uintptr_t address, struct wcm_symbol *symbol);

/* Resolve FRAME, whose offsets become those of its pc, though a call just before
 * it is what is looked up.  False where no function holds it; SYMBOL's module may
 * be known all the same. */
static inline bool wcm__frame_symbol_by(wcm_peek *peek, const struct wcm_frame *frame,
					struct wcm_symbol *symbol)
{
	uintptr_t site = wcm_frame_site(frame);
	const enum wcm_status status = peek(site, symbol);
	const bool named = status == WCM_OK ||
			   (status == WCM_ENOMODULE && wcm__jit_name(site, symbol));

	symbol->offset += frame->pc - site;
	symbol->module_offset += frame->pc - site;
	return named;
}

static inline bool wcm__frame_symbol(const struct wcm_frame *frame,
				     struct wcm_symbol *symbol)
{
	return wcm__frame_symbol_by(wcm__dlopen_names_peek_for_report, frame, symbol);
}

#endif
