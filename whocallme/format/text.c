/* SPDX-License-Identifier: MIT */
/* text.c (SAFE) - writes the lines of stacks and crash reports, in the order that gdb has.
 *
 * Each frame's line says where the frame lies in its module's file, as sanitizers write it, so
 * that whatever reads it later needs no list of modules.
 */
#include "format/text.h"

#include "format/own_line.h"

void wcm__text_address(struct wcm_line *line, uint64_t address, unsigned digits)
{
	wcm__line_dim(line);
	wcm__line_hex(line, address, digits);
	wcm__line_plain(line);
}

void wcm__text_distance(struct wcm_line *line, int64_t bytes, const char *past,
			const char *before)
{
	wcm__line_decimal(line, bytes < 0 ? -bytes : bytes);
	wcm__line_text(line, bytes == 1 || bytes == -1 ? " byte " : " bytes ");
	wcm__line_text(line, bytes < 0 ? before : past);
}

void wcm__text_from_null(struct wcm_line *line, int64_t past)
{
	if (past == 0)
		wcm__line_text(line, "NULL");
	else
		wcm__text_distance(line, past, "past NULL", "before NULL");
}

static void add_cause(struct wcm_line *line, const struct wcm_cause_words *cause)
{
	wcm__line_text(line, cause->before);
	if (cause->name)
		wcm__line_name(line, cause->name);
	wcm__line_text(line, cause->after);
	if (cause->message)
		wcm__line_name(line, cause->message);
}

static void add_at(struct wcm_line *line, const struct wcm_head_fact *head, unsigned digits)
{
	wcm__line_text(line, ", at ");
	wcm__line_hex(line, head->address, digits);
	if (head->is_near_null) {
		wcm__line_text(line, ", ");
		wcm__text_from_null(line, head->past_null);
	}
}

void wcm__text_signal(struct wcm_line *line, const struct wcm_head_fact *head, unsigned digits)
{
	wcm__line_alarm(line);
	wcm__line_text(line, WCM_OWN_LINE);
	wcm__line_name(line, head->program);
	wcm__line_text(line, ": ");
	wcm__line_name(line, head->signal);
	wcm__line_text(line, ", ");
	wcm__line_name(line, head->signal_text);
	wcm__line_text(line, ": ");
	add_cause(line, &head->cause);
	if (head->has_address) {
		add_at(line, head, digits);
	} else if (head->has_sender) {
		wcm__line_text(line, ", by process ");
		wcm__line_decimal(line, head->sender);
	}
	wcm__line_plain(line);
	wcm__line_text(line, "\n");
}

void wcm__text_process(struct wcm_line *line, const struct wcm_head_fact *head)
{
	wcm__line_text(line, WCM_OWN_LINE "process ");
	wcm__line_decimal(line, head->process);
	wcm__line_text(line, ", thread ");
	wcm__line_decimal(line, head->thread_id);
	wcm__line_text(line, " ");
	wcm__line_quoted(line, head->thread);
	wcm__line_text(line, "\n");
}

void wcm__text_program(struct wcm_line *line, const char *path)
{
	wcm__line_text(line, "program: ");
	wcm__line_name(line, path);
	wcm__line_text(line, "\n");
}

/* Whether ARGUMENT cannot be taken for anything else when it stands bare. */
static bool is_plain(const char *argument)
{
	for (const char *c = argument; *c; c++)
		if (*c == ' ' || *c == '"')
			return false;
	return *argument != '\0';
}

void wcm__text_argument(struct wcm_line *line, const char *argument)
{
	wcm__line_text(line, " ");
	if (is_plain(argument))
		wcm__line_name(line, argument);
	else
		wcm__line_quoted(line, argument);
}

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

static void add_code(struct wcm_line *line, const struct wcm_symbol *symbol,
		     wcm_name_writer *write_name)
{
	wcm__line_text(line, "in ");
	if (symbol->name) {
		write_name(line, symbol->name);
		add_part(line, symbol);
		wcm__line_text(line, "+");
		wcm__line_hex(line, symbol->offset, 1);
	} else {
		wcm__line_text(line, "??");
	}
	if (symbol->module) {
		wcm__line_text(line, " (");
		add_offset(line, symbol);
		wcm__line_text(line, symbol->flags & WCM_SYMBOL_UNLOADED ? ", unloaded)" : ")");
	}
}

static const char signal_frame[] = "<signal handler called>";

void wcm__text_frame(struct wcm_line *line, const struct wcm_frame_fact *frame,
		     const struct wcm_text_style *style)
{
	wcm__line_text(line, "#");
	wcm__line_decimal(line, (int64_t)frame->number);
	wcm__line_text(line, " ");
	if (frame->flags & WCM_FRAME_SIGNAL) {
		wcm__line_text(line, signal_frame);
	} else {
		if (style->digits > 0) {
			wcm__text_address(line, frame->pc, style->digits);
			wcm__line_text(line, " ");
		}
		add_code(line, &frame->symbol, style->write_name);
	}
	wcm__line_text(line, frame->flags & WCM_FRAME_GUESSED ? " ?\n" : "\n");
}

void wcm__text_gap(struct wcm_line *line, uint64_t count)
{
	wcm__line_text(line, "(");
	wcm__line_decimal(line, (int64_t)count);
	wcm__line_text(line, count == 1 ? " frame left out)\n" : " frames left out)\n");
}

void wcm__text_symbol(struct wcm_line *line, uint64_t address,
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

/* The functions of a round, with "..." for those in the middle of a long one. */
void wcm__text_round(struct wcm_line *line, const struct wcm_round_fact *round,
		     wcm_name_writer *write_name)
{
	wcm__line_text(line, "... ");
	wcm__line_decimal(line, (int64_t)round->count);
	wcm__line_text(line, " more of ");
	for (size_t i = 0; i < round->period && i < WCM_ROUND_NAMED; i++) {
		const struct wcm_frame_fact *frame = &round->frame[i];

		wcm__line_text(line, i > 0 ? ", " : "");
		if (frame->flags & WCM_FRAME_SIGNAL)
			wcm__line_text(line, signal_frame);
		else
			wcm__text_symbol(line, frame->pc, &frame->symbol, write_name);
	}
	wcm__line_text(line, round->period > WCM_ROUND_NAMED ? ", ..." : "");
	if (round->period > 1) {
		wcm__line_text(line, ", in rounds of ");
		wcm__line_decimal(line, (int64_t)round->period);
	}
	wcm__line_text(line, "\n");
}

const char *const wcm__stop_names[] = {
	[WCM_STOP_NONE] = "none",
	[WCM_STOP_OUTERMOST] = "outermost",
	[WCM_STOP_FULL] = "full",
	[WCM_STOP_NO_RULE] = "no_rule",
	[WCM_STOP_BAD_FRAME] = "bad_frame",
	[WCM_STOP_UNREADABLE] = "unreadable",
};

void wcm__text_stop(struct wcm_line *line, enum wcm_stop stop, const char *why)
{
	if (stop == WCM_STOP_OUTERMOST)
		return;
	if (stop == WCM_STOP_NONE) {
		wcm__line_text(line, "(the stack goes on: out of time)\n");
		return;
	}
	wcm__line_text(line, "(the stack may go on: ");
	wcm__line_text(line, wcm_stop_text(stop));
	if (why) {
		wcm__line_text(line, ": ");
		wcm__line_name(line, why);
	}
	wcm__line_text(line, ")\n");
}

void wcm__text_threads_begin(struct wcm_line *line, uint64_t count)
{
	if (count > 1)
		wcm__line_decimal(line, (int64_t)count);
	wcm__line_text(line, count > 1 ? " threads" : "thread");
}

/* 12 "name", 13-16 "other": the next line begins with two spaces. */
void wcm__text_threads_row(struct wcm_line *line, size_t row, int64_t first, int64_t last,
			   const char *name)
{
	enum { A_LINE = 6 };

	if (row > 0 && row % A_LINE == 0) {
		wcm__line_text(line, ",\n");
		wcm__line_write(line);
		wcm__line_text(line, "  ");
	} else {
		wcm__line_text(line, row > 0 ? ", " : " ");
	}
	wcm__line_decimal(line, first);
	if (last != first) {
		wcm__line_text(line, "-");
		wcm__line_decimal(line, last);
	}
	wcm__line_text(line, " ");
	wcm__line_quoted(line, name);
}

void wcm__text_threads_end(struct wcm_line *line, bool answered, bool blocked)
{
	wcm__line_text(line, answered  ? ":\n"
			     : blocked ? WCM_NO_ANSWER_BLOCKED "\n"
				       : WCM_NO_ANSWER "\n");
}

void wcm__text_location(struct wcm_line *line, const struct wcm_answered *answered)
{
	wcm__line_text(line, answered->function ? answered->function : "??");
	if (answered->file) {
		wcm__line_text(line, " at ");
		wcm__line_location(line);
		wcm__line_text(line, answered->file);
		if (answered->line > 0) {
			wcm__line_text(line, ":");
			wcm__line_decimal(line, answered->line);
		}
		if (answered->line > 0 && answered->column > 0) {
			wcm__line_text(line, ":");
			wcm__line_decimal(line, answered->column);
		}
		wcm__line_plain(line);
	}
	wcm__line_text(line, answered->inlined ? " (inlined)" : "");
}
