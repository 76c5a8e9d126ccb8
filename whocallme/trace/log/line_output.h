/* SPDX-License-Identifier: MIT */
/* line_output.h (SAFE) - sends the lines of a trace to a descriptor or to a file.
 *
 * A terminal or a pipe gets each line at once, in one write.  A file is written through
 * shared mappings of its end, which the kernel keeps when the process is killed; the lines
 * of all threads stand in it in the order in which they were made.
 */
#ifndef WCM_TEXT_LINE_OUTPUT_H
#define WCM_TEXT_LINE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "format/line.h"

struct wcm_line_output_kind {
	const char *head;     /* what a file begins with, which stays; or NULL */
	uint64_t headed;      /* the inode of what has it already, if that is no file; or 0 */
	bool begins;          /* it is written at the end of a file that has lines, too */
	uint64_t start;       /* and where these are from before this, nanoseconds since 1970 */
	bool names_processes; /* in a file of several: as wcm__mapped_window_begin() has it */
};

/* Send lines to a descriptor of our own for FD; or, PATTERN not being NULL, append
 * them to the file it names, %p in it being the process.  A file of the user's own that
 * was last written before SINCE, nanoseconds since 1970, is emptied first.  Returns 0 or
 * a negated errno. */
int wcm__line_output_open(int fd, const char *pattern, uint64_t since,
			  const struct wcm_line_output_kind *kind);

/* Write LINE.  False, and the trace ends, where it cannot be. */
bool wcm__line_output_write(struct wcm_line *line);

/* The negated errno that has ended the trace, of which -EAGAIN is a reader that takes nothing;
 * 0: no line has failed since the output was opened. */
int wcm__line_output_failure(void);

/* The inode of what has the head now, if that is no file; 0: none. */
uint64_t wcm__line_output_headed(void);

/* Whether they go to a terminal. */
bool wcm__line_output_is_terminal(void);

/* In a child of fork(2). */
void wcm__line_output_fork(void);

/* In a child of fork(2) that is not traced: leave the output to the parent. */
void wcm__line_output_abandon(void);

/* The process runs another program, if it can: cut off what no line is in. */
void wcm__line_output_trim(void);

/* No line follows but of hooks that are running. */
void wcm__line_output_close(void);

/* mapped_window.c: writes lines to the end of a file through shared mappings. */

/* Lines go to the end of a regular file, open for reading and appending, whose descriptor
 * is asked of FILE whenever it is needed: a program may close it, -1: for good.
 * NAMES_PROCESSES: where lines of two meet, "# process PID" stands behind the
 * first's, and that or, at its beginning, "# process PID begins" before the other's. */
void wcm__mapped_window_begin(bool names_processes, int (*file)(void));

/* Append PARTS, SIZE bytes in all, which are used up.  Returns 0 or a negated errno. */
int wcm__mapped_window_write(struct iovec *parts, int count, size_t size);

/* Cut off what was made ready and not used. */
void wcm__mapped_window_end(void);

/* The same, and lines may follow all the same. */
void wcm__mapped_window_trim(void);

/* In a child of fork(2), where what is mapped is the parent's to write. */
void wcm__mapped_window_abandon(void);

#endif
