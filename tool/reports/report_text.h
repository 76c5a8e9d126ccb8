/* SPDX-License-Identifier: MIT */
/* report_text.h - crash reports for people, read back. */
#ifndef WCM_TOOL_REPORT_TEXT_H
#define WCM_TOOL_REPORT_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* A report that is being read, as doc/crash-report.schema.json has it, less what a
 * signature has no use for; all zero at first. */
struct report_text {
	json_t *report;    /* NULL: none has begun */
	size_t begun;      /* at this line of the input */
	json_t *frame;     /* of the stack that crashed, the last one, or NULL */
	bool after_signal; /* the next frame was interrupted */
	bool in_lines;     /* of the frame: the next is one more */
	bool in_thread;    /* what follows is the stack of another thread */
	json_t *finished;  /* the one before: the caller's to take */
	size_t finished_at;
};

/* Read TEXT, line number LINE, whose newline and colours are gone.  True where it is part of a
 * report.  One may be finished by it: by the head of the next. */
bool report_text_read(struct report_text *reading, char *text, size_t line);

/* There are no more lines: what has begun is finished. */
void report_text_end(struct report_text *reading);

#endif
