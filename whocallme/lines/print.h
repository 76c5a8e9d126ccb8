/* SPDX-License-Identifier: MIT */
/* print.h - writes an answer of the resolver as text: function, file, line, source. */
#ifndef WCM_LINES_PRINT_H
#define WCM_LINES_PRINT_H

#include "core/report/line.h"
#include "lines/resolver_protocol.h"

/* Add "outer at /tmp/demo/prog.c:12:2 (inlined)", or as much of it as is known. */
void wcm__print_location(struct wcm_line *line, const struct wcm_answered *answered);

/* Add TEXT, lines of the source as an answer has them. */
void wcm__print_text(struct wcm_line *line, const char *text);

/* Write to FD what is wrong with the file, if anything: a line in parentheses,
 * indented by three spaces.  False where FD has not taken it. */
bool wcm__print_complaint(int fd, const struct wcm_resolver *resolver);

/* The same, and all functions of the answer that have not been read yet, a line each,
 * with their text. */
bool wcm__print_answer(int fd, struct wcm_resolver *resolver, bool colours);

#endif
