/* SPDX-License-Identifier: MIT */
/* print.h (SAFE) - writes an answer of the resolver as text: function, file, line, source. */
#ifndef WCM_LINES_PRINT_H
#define WCM_LINES_PRINT_H

#include "format/line.h"
#include "format/text.h"
#include "lines/resolver_protocol.h"

/* Add TEXT, lines of the source as an answer has them. */
void wcm__print_text(struct wcm_line *line, const char *text);

/* Write to FD what is wrong with the file, if anything: a line in parentheses,
 * indented by three spaces.  False where FD has not taken it. */
bool wcm__print_complaint(int fd, const struct wcm_resolver *resolver);

/* Whether the answer about a frame, which has not been read yet, has more than the name that the
 * frame shows by itself if it IS_NAMED. */
bool wcm__print_says_more(struct wcm_resolver *resolver, bool is_named);

/* The complaint, and all functions of the answer that have not been read yet, a line each,
 * WITH_TEXT or without. */
bool wcm__print_answer(int fd, struct wcm_resolver *resolver, bool colours, bool with_text);

/* lined_frame.c: writes a frame, and below it its source lines, in a process that has not
 * crashed. */

/* Write FRAME as wcm__frame_write() does, and below it, where wcm_lines_start() was
 * called, its lines. */
bool wcm__lined_frame_write(int fd, const struct wcm_frame *frame, size_t number,
		      wcm_name_writer *write_name);

#endif
