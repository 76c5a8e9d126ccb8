/* SPDX-License-Identifier: MIT */
/* text_block.h - lines for a whole report, or a whole stack, in text. */
#ifndef WCM_TOOL_TEXT_BLOCK_H
#define WCM_TOOL_TEXT_BLOCK_H

#include "resolve/frame_lines.h"

/* Write SIZE bytes of TEXT, a report or stack, or several that a log has mixed, to FILE, with
 * lines below their frames.  A report in JSON that is among them stays
 * JSON. */
void text_block_write(struct resolver *resolver, FILE *file, const char *text,
		      size_t size);

#endif
