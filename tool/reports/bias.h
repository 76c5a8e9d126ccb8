/* SPDX-License-Identifier: MIT */
/* bias.h - where was a module loaded, if the report does not say? */
#ifndef WCM_TOOL_BIAS_H
#define WCM_TOOL_BIAS_H

#include "debug/binary.h"
#include "reports/text_line.h"

/* Frames of one module vote for its load bias: that of a frame is what is left of its
 * pc without the offset and the value of the symbol, a page's address; and namesakes
 * have one for each of them. */
struct ballot {
	struct candidate {
		uint64_t bias;
		size_t votes;
	} candidate[256];
	size_t count;
};

/* Add the votes of FRAME of the module BINARY. */
void ballot_add(struct ballot *ballot, struct binary *binary,
		const struct text_frame *frame);

/* What most frames agree on.  False where that is not one. */
bool ballot_winner(const struct ballot *ballot, uint64_t *bias);

/* Whether FRAME is where it is with BIAS; so is one whose name nobody knows. */
bool bias_fits(struct binary *binary, const struct text_frame *frame, uint64_t bias);

/* The address of FRAME's pc in BINARY's own numbering by FRAME alone.  False where
 * there are several. */
bool bias_unique(struct binary *binary, const struct text_frame *frame,
		 uint64_t *address);

#endif
