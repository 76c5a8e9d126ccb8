/* SPDX-License-Identifier: MIT */
/* lined_frame.h (SAFE) - writes a frame, and below it its source lines, in a process that has
 * not crashed.
 */
#ifndef WCM_LINES_LINED_FRAME_H
#define WCM_LINES_LINED_FRAME_H

#include "format/text.h"

/* Write FRAME as wcm__frame_write() does, and below it, where wcm_lines_start() was
 * called, its lines. */
bool wcm__lined_frame_write(int fd, const struct wcm_frame *frame, size_t number,
		      wcm_name_writer *write_name);

#endif
