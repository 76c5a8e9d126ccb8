/* SPDX-License-Identifier: MIT */
/* text.c (SAFE) - writes a frame as a line of text, in the order that gdb has.
 *
 * Each line says where the frame lies in its module's file, as sanitizers write it, so that
 * whatever reads it later needs no list of modules.
 */
#include "core/report/text.h"

#include "core/report/frame.h"

enum { ADDRESS_DIGITS = 2 * sizeof(uintptr_t) };

static void add_offset(struct wcm_line *line, const struct wcm_symbol *symbol)
{
	wcm__line_name(line, symbol->module);
	wcm__line_text(line, "+");
	wcm__line_hex(line, symbol->module_offset, 1);
}

static void add_part(struct wcm_line *line, const struct wcm_symbol *symbol)
{
	if (symbol->flags & (WCM_SYMBOL_COLD | WCM_SYMBOL_PART))
		wcm__line_text(line, symbol->flags & WCM_SYMBOL_COLD ? " [cold]" : " [part]");
}

static void add_named(struct wcm_line *line, const struct wcm_symbol *symbol,
		      wcm_name_writer *write_name)
{
	write_name(line, symbol->name);
	add_part(line, symbol);
	wcm__line_text(line, "+");
	wcm__line_hex(line, symbol->offset, 1);
}

static void add_module(struct wcm_line *line, const struct wcm_symbol *symbol)
{
	wcm__line_text(line, " (");
	add_offset(line, symbol);
	wcm__line_text(line, symbol->flags & WCM_SYMBOL_UNLOADED ? ", unloaded)" : ")");
}

static void add_address(struct wcm_line *line, uintptr_t address)
{
	wcm__line_dim(line);
	wcm__line_hex(line, address, ADDRESS_DIGITS);
	wcm__line_plain(line);
	wcm__line_text(line, " ");
}

static void add_code(struct wcm_line *line, const struct wcm_frame *frame, wcm_peek *peek,
		     wcm_name_writer *write_name)
{
	struct wcm_symbol symbol;
	bool named = wcm__frame_symbol_by(peek, frame, &symbol);

	wcm__line_text(line, "in ");
	if (named)
		add_named(line, &symbol, write_name);
	else
		wcm__line_text(line, "??");
	if (symbol.module)
		add_module(line, &symbol);
}

static void add_frame(struct wcm_line *line, const struct wcm_frame *frame, size_t number,
		      bool has_address, wcm_peek *peek, wcm_name_writer *write_name)
{
	wcm__line_text(line, "#");
	wcm__line_decimal(line, (int64_t)number);
	wcm__line_text(line, " ");
	if (has_address && !(frame->flags & WCM_FRAME_SIGNAL))
		add_address(line, frame->pc);
	if (frame->flags & WCM_FRAME_SIGNAL)
		wcm__line_text(line, "<signal handler called>");
	else
		add_code(line, frame, peek, write_name);
	if (frame->flags & WCM_FRAME_GUESSED)
		wcm__line_text(line, " ?");
	wcm__line_text(line, "\n");
}

void wcm__text_add_frame(struct wcm_line *line, const struct wcm_frame *frame,
			 size_t number, bool has_address, wcm_name_writer *write_name)
{
	add_frame(line, frame, number, has_address, wcm__dlopen_names_peek_for_report,
		  write_name);
}

bool wcm__text_frame(int fd, const struct wcm_frame *frame, size_t number,
		     wcm_name_writer *write_name)
{
	struct wcm_line line;

	wcm__line_init(&line, fd);
	add_frame(&line, frame, number, true, wcm__dlopen_names_peek, write_name);
	return wcm__line_write(&line);
}

bool wcm__text_stop(int fd, enum wcm_stop stop, const char *why)
{
	struct wcm_line line;

	if (stop == WCM_STOP_OUTERMOST || stop == WCM_STOP_NONE)
		return true;
	wcm__line_init(&line, fd);
	wcm__line_text(&line, "(the stack may go on: ");
	wcm__line_text(&line, wcm_stop_text(stop));
	wcm__line_text(&line, why ? ": " : "");
	wcm__line_text(&line, why ? why : "");
	wcm__line_text(&line, ")\n");
	return wcm__line_write(&line);
}

void wcm__text_symbol(struct wcm_line *line, uintptr_t address,
		      const struct wcm_symbol *symbol, wcm_name_writer *write_name)
{
	if (symbol->name) {
		write_name(line, symbol->name);
		add_part(line, symbol);
	} else if (symbol->module) {
		add_offset(line, symbol);
	} else {
		wcm__line_hex(line, address, 1);
	}
}

void wcm__text_function(struct wcm_line *line, uintptr_t address,
			wcm_name_writer *write_name)
{
	struct wcm_symbol symbol;

	wcm_symbol_peek(address, &symbol);
	wcm__text_symbol(line, address, &symbol, write_name);
}
