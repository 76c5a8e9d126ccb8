/* SPDX-License-Identifier: MIT */
/* text_block.h - lines for a whole report, or a whole stack, in text. */
#ifndef WCM_TOOL_TEXT_BLOCK_H
#define WCM_TOOL_TEXT_BLOCK_H

#include "resolve/frame_lines.h"

/* Write SIZE bytes of TEXT, one report or stack, to FILE, with lines below its
 * frames. */
void text_block_write(struct resolver *resolver, FILE *file, const char *text,
		      size_t size);

#endif
