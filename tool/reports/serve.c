/* SPDX-License-Identifier: MIT */
/* serve.c - a conversation with a program that asks for lines.
 *
 * The other end may be a process that has crashed: an answer has an end that it can
 * hold (WCM_ANSWER_SIZE), and goes out in one piece.
 */
#include "reports/serve.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "escape.h"
#include "lines_in.h"

/* Bytes.  Source text gives way first, then the outermost of a long chain. */
enum {
	MOST_QUESTION = 16384,
	MOST_WITH_SOURCE = 16384,
	MOST_ANSWER = 65536 - 4096,
	LONGEST_PART = 4096, /* of a name or a path, less where it is escaped */
};

static void write_place(const struct resolver *resolver, FILE *file,
			const struct place *place)
{
	char *memory = NULL;

	escape_name(file,
		    place->function ? resolver_name(resolver, place->function, &memory)
				    : "??",
		    LONGEST_PART);
	free(memory);
	fputc('\n', file);
	escape_name(file, place->file ? place->file : "??", LONGEST_PART);
	fprintf(file, ":%u:%u\n", place->line, place->column);
	if (ftell(file) < MOST_WITH_SOURCE)
		print_source(file, place, resolver->around, resolver->colour);
}

static void write_answer(struct resolver *resolver, FILE *file, char *question)
{
	struct address address;
	const char *complaint;

	if (!address_parse(&address, question)) {
		fputs("??\n??:0:0\n\n", file);
		return;
	}
	complaint = resolver_find(resolver, &address);
	if (complaint) {
		fputs("! ", file);
		escape_name(file, complaint, LONGEST_PART);
		fputc('\n', file);
	}
	for (size_t i = 0; i < resolver->places.count && ftell(file) < MOST_ANSWER / 2;
	     i++)
		write_place(resolver, file, &resolver->places.place[i]);
	if (resolver->places.count == 0)
		fputs("??\n??:0:0\n", file);
	fputc('\n', file);
}

static bool write_all(const char *text, size_t size)
{
	while (size > 0) {
		ssize_t count = write(STDOUT_FILENO, text, size);

		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return false;
		text += count;
		size -= (size_t)count;
	}
	return true;
}

/* 0, or the errno of what kept the answer from its reader. */
static int answer(struct resolver *resolver, char *question)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	int error = 0;

	if (!file)
		return ENOMEM;
	write_answer(resolver, file, question);
	if (fclose(file) != 0 || !write_all(text, size))
		error = errno;
	free(text);
	return error;
}

static int converse(struct resolver *resolver, struct lines_in *lines)
{
	char nothing[] = "";
	char *question;
	size_t length;
	int error = 0;

	for (;;) {
		switch (lines_in_next(lines, -1, &question, &length)) {
		case LINES_IN_END:
			return lines->in_line ? answer(resolver, nothing)
					      : lines->error;
		case LINES_IN_PART:
			if (lines->in_line)
				continue;
			error = answer(resolver, nothing);
			break;
		default:
			question[strcspn(question, "\n")] = '\0';
			error = answer(resolver, question);
		}
		if (error != 0)
			return error;
	}
}

int serve(struct resolver *resolver)
{
	struct lines_in lines;
	int error;

	signal(SIGPIPE, SIG_IGN);
	lines_in_start(&lines, STDIN_FILENO, MOST_QUESTION, MOST_QUESTION);
	error = converse(resolver, &lines);
	lines_in_stop(&lines);
	if (error == 0 || error == EPIPE || error == ECONNRESET)
		return EXIT_DONE;
	errno = error;
	perror("whocallme: resolve --serve");
	return EXIT_PARTLY;
}
