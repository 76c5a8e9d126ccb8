/* SPDX-License-Identifier: MIT */
/* report_text.h - reads crash reports in text form into JSON, to be grouped. */
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
	json_t *frame;     /* of the stack that crashed: the one the last line was about, or NULL */
	bool after_signal; /* the next frame was interrupted */
	bool in_lines;     /* the next source line is one more of FRAME, not the first */
	bool in_thread;    /* what follows is the stack of another thread */
	json_t *finished;  /* the one before: the caller's to take */
	size_t finished_at;
};

/* Read line number LINE of the input, TEXT, without its newline and colours.  True if it is
 * part of a report.  The head of the next report finishes the one before. */
bool report_text_read(struct report_text *reading, char *text, size_t line);

/* There are no more lines: what has begun is finished. */
void report_text_end(struct report_text *reading);

#endif
