/* SPDX-License-Identifier: MIT */
/* lines_in.h - the lines of an input of any length, in bounded memory. */
#ifndef WCM_TOOL_LINES_IN_H
#define WCM_TOOL_LINES_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct lines_in {
	int fd;
	ssize_t (*read)(int fd, void *room, size_t size); /* read(2) at first */
	int error; /* errno of what ended the input, or 0 */
	size_t most, most_object; /* bytes of a line, and of one that begins with { */
	char *buffer;
	size_t room, at, end; /* what is read and not yet returned: [at, end) */
	size_t seen;  /* of that, how much has no newline */
	char covered; /* by the zero byte, at AT */
	bool ended, in_line; /* IN_LINE: its beginning was returned */
};

enum lines_in_status {
	LINES_IN_LINE, /* a whole line */
	LINES_IN_PART, /* a part of one that is longer than may be, its end as well */
	LINES_IN_QUIET, /* none has come in time */
	LINES_IN_END,
};

/* Read from FD lines of MOST bytes, of MOST_OBJECT bytes where they begin with {, or have a
 * report in JSON not far from their beginning. */
void lines_in_start(struct lines_in *lines, int fd, size_t most, size_t most_object);
void lines_in_stop(struct lines_in *lines);

/* The next line with its newline (the last may have none) is TEXT, *LENGTH bytes and
 * a zero byte; it may be written over and lives until the next call.  PATIENCE, in
 * milliseconds, is how long to wait; negative: for ever. */
enum lines_in_status lines_in_next(struct lines_in *lines, int patience, char **text,
				   size_t *length);

/* Whether a line is there already. */
bool lines_in_ready(const struct lines_in *lines);

#endif
