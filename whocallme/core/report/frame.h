/* SPDX-License-Identifier: MIT */
/* frame.h (SAFE) - the name of a frame: function, PLT stub, signal trampoline, or ??. */
#ifndef WCM_REPORT_FRAME_H
#define WCM_REPORT_FRAME_H

#include "format/text.h"
#include "core/unwind/walk.h"

/* Find in a report what FRAME is of.  Its offsets become those of its pc, though a call just
 * before it is what is looked up.  False where no function holds it; SYMBOL's module may be known
 * all the same. */
bool wcm__frame_symbol(const struct wcm_placed *frame, struct wcm_symbol *symbol);

/* The same as a fact; nothing is looked up for a signal's trampoline. */
void wcm__frame_find(struct wcm_frame_fact *fact, const struct wcm_placed *frame, size_t number);

/* Write FRAME, number NUMBER of its stack, as a line to FD in a process that has not crashed; a
 * module without a table is named by its file. */
bool wcm__frame_write(int fd, const struct wcm_frame *frame, size_t number,
		      wcm_name_writer *write_name);

/* Write why the stack ends, and WHY that is so, or NULL, unless all of it was seen. */
bool wcm__frame_stop_write(int fd, enum wcm_stop stop, const char *why);

#endif
