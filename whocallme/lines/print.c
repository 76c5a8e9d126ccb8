/* SPDX-License-Identifier: MIT */
/* print.c - how do answers read? */
#include "lines/print.h"

static void add_numbers(struct wcm_line *line,
			const struct wcm_answered *answered)
{
	if (answered->line == 0)
		return;
	wcm__line_text(line, ":");
	wcm__line_decimal(line, answered->line);
	if (answered->column == 0)
		return;
	wcm__line_text(line, ":");
	wcm__line_decimal(line, answered->column);
}

/* The helper has escaped the names. */
void wcm__print_place(struct wcm_line *line, const struct wcm_answered *answered)
{
	wcm__line_text(line, answered->function ? answered->function : "??");
	if (answered->file) {
		wcm__line_text(line, " at ");
		wcm__line_text(line, answered->file);
		add_numbers(line, answered);
	}
	if (answered->inlined)
		wcm__line_text(line, " (inlined)");
}

bool wcm__print_complaint(int fd, const struct wcm_dialogue *dialogue)
{
	struct wcm_line line;

	if (!dialogue->complaint)
		return true;
	wcm__line_init(&line, fd);
	wcm__line_text(&line, "   (");
	wcm__line_text(&line, dialogue->complaint);
	wcm__line_text(&line, ")\n");
	return wcm__line_write(&line);
}

static bool write_function(int fd, const struct wcm_answered *answered,
			   bool colours)
{
	struct wcm_line line;

	wcm__line_init(&line, fd);
	line.colours = colours;
	wcm__line_text(&line, "   ");
	wcm__print_place(&line, answered);
	wcm__line_text(&line, "\n");
	if (answered->text) {
		wcm__line_dim(&line);
		wcm__line_text(&line, answered->text);
		wcm__line_plain(&line);
	}
	return wcm__line_write(&line);
}

bool wcm__print_answer(int fd, struct wcm_dialogue *dialogue, bool colours)
{
	struct wcm_answered answered;

	if (!wcm__print_complaint(fd, dialogue))
		return false;
	while (wcm__dialogue_next(dialogue, &answered))
		if (!write_function(fd, &answered, colours))
			return false;
	return true;
}
