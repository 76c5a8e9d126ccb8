/* SPDX-License-Identifier: MIT */
/* text_line.h - reads one line of a report or stack as text. */
#ifndef WCM_TOOL_TEXT_LINE_H
#define WCM_TOOL_TEXT_LINE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "reports/report_modules.h"

enum text_kind {
	TEXT_OTHER,
	TEXT_HEAD,    /* the first line of a crash report */
	TEXT_THREAD,  /* the head of the stack of a thread, or of several, of a crash report */
	TEXT_ONE_OF_ALL, /* the same, of wcm_threads_write() */
	TEXT_FRAME,
	TEXT_FOLD,    /* among frames: so many that repeat those before them */
	TEXT_REMARK,  /* in parentheses, between or below frames */
	TEXT_LOCATION,   /* below a frame: its source line */
	TEXT_MODULES, /* the head of the modules */
	TEXT_MODULE,
	TEXT_LINES, /* the head of the lines behind a crash report */
	TEXT_LINE,  /* the first of a frame there */
};

struct text_head {
	const char *program, *signal, *cause;
};

struct text_location {
	const char *function, *file; /* NULL: not known */
	unsigned line, column;       /* 0: not known */
	bool inlined;
};

/* Remove what colours a terminal, and a carriage return at the end, from the LENGTH bytes at TEXT,
 * which has room for one more: a zero byte ends it.  Returns the new length. */
size_t text_strip_colours(char *text, size_t length);

/* Of a line without colours or newline. */
enum text_kind text_kind(const char *line);

/* Read a line of that kind, which is cut up: strings point into it.  False where it is malformed.
 * Other lines say whether a frame is a guess. */
bool text_read_head(struct text_head *head, char *line);
bool text_read_frame(struct report_frame *frame, char *line);
bool text_read_module(struct loaded *module, char *line);

/* FUNCTION[ at FILE[:LINE[:COLUMN]]][ (inlined)], behind what it begins with: three
 * spaces, or in the lines behind a crash report the number of the frame. */
void text_read_location(struct text_location *location, char *text);

/* COUNT frames, each equal to the one PERIOD frames before it, from a line of that kind. */
struct text_fold {
	uint64_t count, period;
};

bool text_read_fold(struct text_fold *fold, const char *line);

/* The number in the head of a thread's stack or lines; of several, the first one's. */
uint64_t text_thread(const char *line);

/* What follows #NUMBER and a space in LINE, or NULL. */
char *text_behind_number(char *line, uint64_t *number);

/* report_text.c: reads crash reports in text form into JSON, to be grouped. */

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
