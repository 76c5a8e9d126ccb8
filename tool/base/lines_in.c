/* SPDX-License-Identifier: MIT */
/* lines_in.c - reads the lines of an input, of any length, in bounded memory. */
#include "base/lines_in.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/report_start.h"

void lines_in_start(struct lines_in *lines, int fd, size_t most, size_t most_object)
{
	memset(lines, 0, sizeof(*lines));
	lines->fd = fd;
	lines->read = read;
	lines->most = most;
	lines->most_object = most_object;
}

void lines_in_stop(struct lines_in *lines)
{
	free(lines->buffer);
}

/* Make room behind what is there, a byte more than will be read. */
static bool make_room(struct lines_in *lines, size_t most)
{
	enum { SMALLEST = 65536 };
	size_t room = lines->room ? lines->room : SMALLEST;
	char *grown;

	if (lines->at > 0) {
		memmove(lines->buffer, lines->buffer + lines->at,
			lines->end - lines->at);
		lines->end -= lines->at;
		lines->at = 0;
	}
	if (lines->room > lines->end + 1)
		return true;
	while (room < lines->end + SMALLEST && room < 2 * most)
		room *= 2;
	grown = realloc(lines->buffer, room);
	if (!grown)
		return false;
	lines->buffer = grown;
	lines->room = room;
	return room - lines->end > 1;
}

/* False where nothing has come in time. */
static bool fill(struct lines_in *lines, int patience, size_t most)
{
	struct pollfd wait = { .fd = lines->fd, .events = POLLIN };
	ssize_t count;

	if (patience >= 0 && poll(&wait, 1, patience) == 0)
		return false;
	if (!make_room(lines, most)) {
		lines->error = ENOMEM;
		lines->ended = true;
		return true;
	}
	do
		count = lines->read(lines->fd, lines->buffer + lines->end,
				    lines->room - lines->end - 1);
	while (count < 0 && errno == EINTR);
	if (count > 0)
		lines->end += (size_t)count;
	else
		lines->ended = true;
	if (count < 0)
		lines->error = errno;
	return true;
}

/* Return the first LENGTH bytes of what was read. */
static enum lines_in_status take(struct lines_in *lines, bool whole, size_t length,
				 char **text, size_t *size)
{
	const bool part = !whole || lines->in_line;

	*text = lines->buffer + lines->at;
	*size = length;
	lines->at += length;
	lines->seen = 0;
	lines->covered = lines->buffer[lines->at];
	lines->buffer[lines->at] = '\0';
	lines->in_line = !whole;
	return part ? LINES_IN_PART : LINES_IN_LINE;
}

/* Whether an object begins at TEXT, or behind what a log may put in front of it. */
static bool has_object(const char *text, size_t length)
{
	return *text == '{' || report_starts_in(text, length);
}

enum lines_in_status lines_in_next(struct lines_in *lines, int patience, char **text,
				   size_t *length)
{
	if (lines->buffer)
		lines->buffer[lines->at] = lines->covered;
	for (;;) {
		const size_t left = lines->end - lines->at;
		const char *start = left > 0 ? lines->buffer + lines->at : NULL, *newline;
		const size_t most = left > 0 && !lines->in_line && has_object(start, left)
					    ? lines->most_object
					    : lines->most;

		newline = left > lines->seen ? memchr(start + lines->seen, '\n',
						      left - lines->seen)
					     : NULL;
		lines->seen = left;
		if (newline)
			return take(lines, true, (size_t)(newline + 1 - start),
				    text, length);
		if (left >= most)
			return take(lines, false, left, text, length);
		if (lines->ended && left > 0)
			return take(lines, true, left, text, length);
		if (lines->ended)
			return LINES_IN_END;
		if (!fill(lines, patience, most)) {
			lines->covered = left > 0 ? *start : '\0';
			return LINES_IN_QUIET;
		}
	}
}

bool lines_in_ready(const struct lines_in *lines)
{
	return lines->end > lines->at &&
	       (lines->covered == '\n' ||
		memchr(lines->buffer + lines->at, '\n', lines->end - lines->at));
}
