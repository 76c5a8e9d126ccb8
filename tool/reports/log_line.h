/* SPDX-License-Identifier: MIT */
/* log_line.h - what a log puts around the lines of a program.
 *
 * A journal, syslog, a container's runtime and whoever gathers their output put a time, a name
 * or an id in front of each line, or make a JSON object of it.  A stream is what one process
 * writes there: its lines have the same in front, but for times.
 */
#ifndef WCM_TOOL_LOG_LINE_H
#define WCM_TOOL_LOG_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/report_start.h"

enum { LOG_STREAMS = 32, LOG_PREFIX = REPORT_MOST_IN_FRONT };

struct log_stream {
	char pattern[LOG_PREFIX + 1]; /* what is in front; each time is a byte 1 */
	bool is_wrapped; /* its lines are JSON objects */
	size_t width;  /* of what was in front of the last line */
	unsigned used; /* when it was, in lines */
	char *part;    /* of a line of the program that goes on */
	size_t part_size, part_room;
};

/* All zero at first. */
struct log_streams {
	struct log_stream stream[LOG_STREAMS]; /* the first: lines with nothing in front */
	size_t count;
	unsigned lines;
	char *text; /* memory of the last line that was put together, or taken out of JSON */
	size_t room;
};

struct log_line {
	size_t stream;    /* 0: nothing is known to be in front */
	char *text;       /* the program's line, of LENGTH bytes and a zero byte */
	size_t length;
	size_t before;    /* bytes of the line in front of it */
	size_t after;     /* a wrapped line: bytes behind it */
	bool is_wrapped;  /* the line is a JSON object, the program's a string in it */
	bool has_newline; /* which ends in a newline */
	bool is_part;     /* it goes on in the next line of the stream: TEXT is empty */
	bool was_parted;  /* it has come in several lines */
	size_t taken_from; /* a stream that was forgotten for this one; 0: none */
};

/* Find the program's line in LINE, LENGTH bytes and a zero byte, without colours and newline.
 * LINE is not changed but for what LOG's text may point at: it is the memory of the answer. */
void log_read(struct log_streams *streams, char *line, size_t length, struct log_line *log);

/* Write the COUNT bytes of TEXT, whole lines of ours, as lines of LOG's stream; LINE is what was
 * given to log_read(). */
void log_write(FILE *file, const struct log_line *log, const char *line, size_t length,
	       const char *text, size_t count);

void log_free(struct log_streams *streams);

#endif
