/* SPDX-License-Identifier: MIT */
/* print.h (SAFE) - writes an answer of the resolver as text: function, file, line, source. */
#ifndef WCM_LINES_PRINT_H
#define WCM_LINES_PRINT_H

#include "core/report/line.h"
#include "lines/resolver_protocol.h"
#include "whocallme/stack.h"

/* Add "outer at /tmp/demo/prog.c:12:2 (inlined)", or as much of it as is known. */
void wcm__print_location(struct wcm_line *line, const struct wcm_answered *answered);

/* Add TEXT, lines of the source as an answer has them. */
void wcm__print_text(struct wcm_line *line, const char *text);

/* Write to FD what is wrong with the file, if anything: a line in parentheses,
 * indented by three spaces.  False where FD has not taken it. */
bool wcm__print_complaint(int fd, const struct wcm_resolver *resolver);

/* Whether the answer about FRAME, which has not been read yet, has more than the name that the
 * frame shows by itself. */
bool wcm__print_says_more(struct wcm_resolver *resolver, const struct wcm_frame *frame);

/* The complaint, and all functions of the answer that have not been read yet, a line each,
 * WITH_TEXT or without. */
bool wcm__print_answer(int fd, struct wcm_resolver *resolver, bool colours, bool with_text);

#endif
