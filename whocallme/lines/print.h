/* SPDX-License-Identifier: MIT */
/* print.h - how do answers read? */
#ifndef WCM_LINES_PRINT_H
#define WCM_LINES_PRINT_H

#include "lines/dialogue.h"
#include "report/line.h"

/* Add "outer at /tmp/demo/prog.c:12:2 (inlined)", or as much of it as is known. */
void wcm__print_place(struct wcm_line *line, const struct wcm_answered *answered);

/* Write to FD what is wrong with the file, if anything: a line in parentheses,
 * indented by three spaces.  False where FD has not taken it. */
bool wcm__print_complaint(int fd, const struct wcm_dialogue *dialogue);

/* The same, and all functions of the answer that have not been read yet, a line each,
 * with their text. */
bool wcm__print_answer(int fd, struct wcm_dialogue *dialogue, bool colours);

#endif
