/* SPDX-License-Identifier: MIT */
/* lines.h - where the lines of a trace go.
 *
 * To a terminal or a pipe each goes at once and in one write.  A file is written
 * through shared mappings of its end, which the kernel keeps though the process is
 * killed; lines of threads stand in it in the order of their making.
 */
#ifndef WCM_HOOK_LINES_H
#define WCM_HOOK_LINES_H

#include "hook/sink.h"
#include "report/line.h"

struct wcm_lines_kind {
	const char *head;     /* the first line of all, or NULL */
	bool names_processes; /* in a file of several: as wcm__window_begin() has it */
};

/* Send lines to a descriptor of our own for FD; or, PATTERN not being NULL, append
 * them to the file it names, %p in it being the process.  A file of the user's own that
 * was last written before SINCE, nanoseconds since 1970, is emptied first.  Returns 0 or
 * a negated errno. */
int wcm__lines_open(int fd, const char *pattern, uint64_t since,
		    const struct wcm_lines_kind *kind);

/* Write LINE.  False, and the trace ends, where it cannot be. */
bool wcm__lines_write(struct wcm_line *line);

/* The descriptor, opened again if the program has closed it; -1: it is gone. */
int wcm__lines_descriptor(void);

/* In a child of fork(2). */
void wcm__lines_fork(void);

/* The process runs another program, if it can: cut off what no line is in. */
void wcm__lines_trim(void);

/* No line follows but of hooks that are running. */
void wcm__lines_close(void);

#endif
