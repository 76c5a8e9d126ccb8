/* SPDX-License-Identifier: MIT */
/* print.c - how do answers read? */
#include "lines/print.h"

void wcm__print_place(struct wcm_line *line, const struct wcm_answered *answered)
{
	(void)line, (void)answered;
}

bool wcm__print_answer(int fd, struct wcm_dialogue *dialogue, bool colours)
{
	(void)fd, (void)dialogue, (void)colours;
	return true;
}
