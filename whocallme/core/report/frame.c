/* SPDX-License-Identifier: MIT */
/* frame.c (SAFE) - finds the name of a frame: function, PLT stub, signal trampoline, or ??. */
#include "core/report/frame.h"

#include "core/symbols/dlopen_names.h"

/* STATUS is what looking FRAME's site up in the tables has given. */
static bool finish(enum wcm_status status, const struct wcm_frame *frame,
		   struct wcm_symbol *symbol)
{
	const uintptr_t site = wcm_frame_site(frame);
	const bool named = status == WCM_OK ||
			   (status == WCM_ENOMODULE && wcm__jit_name(site, symbol));

	symbol->offset += frame->pc - site;
	symbol->module_offset += frame->pc - site;
	return named;
}

bool wcm__frame_symbol(const struct wcm_placed *placed, struct wcm_symbol *symbol)
{
	const struct wcm_frame *frame = &placed->frame;

	return finish(wcm__dlopen_names_peek_for_report(placed->module, wcm_frame_site(frame),
							symbol),
		      frame, symbol);
}

void wcm__frame_find(struct wcm_frame_fact *fact, const struct wcm_placed *placed, size_t number)
{
	fact->number = number;
	fact->pc = placed->frame.pc;
	fact->flags = placed->frame.flags;
	if (!(fact->flags & WCM_FRAME_SIGNAL))
		wcm__frame_symbol(placed, &fact->symbol);
}

bool wcm__frame_write(int fd, const struct wcm_frame *frame, size_t number,
		      wcm_name_writer *write_name)
{
	const struct wcm_text_style style = { WCM_ADDRESS_DIGITS, write_name };
	struct wcm_frame_fact fact = { number, frame->pc, frame->flags, { 0 } };
	struct wcm_line line;

	if (!(frame->flags & WCM_FRAME_SIGNAL))
		finish(wcm__dlopen_names_peek(wcm_frame_site(frame), &fact.symbol), frame,
		       &fact.symbol);
	wcm__line_init(&line, fd);
	wcm__text_frame(&line, &fact, &style);
	return wcm__line_write(&line);
}

bool wcm__frame_stop_write(int fd, enum wcm_stop stop, const char *why)
{
	struct wcm_line line;

	if (stop == WCM_STOP_NONE || stop == WCM_STOP_OUTERMOST)
		return true;
	wcm__line_init(&line, fd);
	wcm__text_stop(&line, stop, why);
	return wcm__line_write(&line);
}
