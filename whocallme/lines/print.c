/* SPDX-License-Identifier: MIT */
/* print.c (SAFE) - writes an answer of the resolver as text: function, file, line, source. */
#include "lines/print.h"

#include <string.h>

/* Of the first line of TEXT, its newline among them. */
static size_t line_size(const char *text)
{
	const char *end = memchr(text, '\n', strlen(text));

	return end ? (size_t)(end - text) + 1 : strlen(text);
}

/* The lines of the source, of which the one that is meant has a ">" in front. */
void wcm__print_text(struct wcm_line *line, const char *text)
{
	while (*text) {
		const size_t size = line_size(text);
		const bool meant = size > 1 && text[1] == '>';

		if (meant)
			wcm__line_bold(line);
		else
			wcm__line_dim(line);
		wcm__line_span(line, text, size);
		wcm__line_plain(line);
		text += size;
	}
}

bool wcm__print_complaint(int fd, const struct wcm_resolver *resolver)
{
	struct wcm_line line;

	if (!resolver->complaint)
		return true;
	wcm__line_init(&line, fd);
	wcm__line_text(&line, "   (");
	wcm__line_text(&line, resolver->complaint);
	wcm__line_text(&line, ")\n");
	return wcm__line_write(&line);
}

bool wcm__print_says_more(struct wcm_resolver *resolver, bool is_named)
{
	struct wcm_answered answered;
	bool found = wcm__resolver_next(resolver, &answered);

	wcm__resolver_again(resolver);
	return resolver->complaint ||
	       (found && (answered.file || answered.inlined || !is_named));
}

static bool write_function(int fd, const struct wcm_answered *answered,
			   bool colours, bool with_text)
{
	struct wcm_line line;

	wcm__line_init(&line, fd);
	line.colours = colours;
	wcm__line_text(&line, "   ");
	wcm__text_location(&line, answered);
	wcm__line_text(&line, "\n");
	if (answered->text && with_text)
		wcm__print_text(&line, answered->text);
	return wcm__line_write(&line);
}

bool wcm__print_answer(int fd, struct wcm_resolver *resolver, bool colours, bool with_text)
{
	struct wcm_answered answered;

	if (!wcm__print_complaint(fd, resolver))
		return false;
	while (wcm__resolver_next(resolver, &answered))
		if (!write_function(fd, &answered, colours, with_text))
			return false;
	return true;
}
