/* SPDX-License-Identifier: MIT */
/* frame.c - a frame of a living program, with its lines.
 *
 * The frame is out before the question is asked: whatever becomes of that, the
 * names are there.
 */
#include "lines/frame.h"

#include "lines/living.h"
#include "lines/print.h"

static bool write_lines(int fd, const struct wcm_frame *frame)
{
	struct wcm_dialogue *dialogue;
	bool taken;

	if (frame->flags & WCM_FRAME_SIGNAL)
		return true;
	dialogue = wcm__living_ask(wcm_frame_site(frame));
	if (!dialogue)
		return true;
	taken = wcm__print_answer(fd, dialogue, false);
	wcm__living_give_back(dialogue);
	return taken;
}

bool wcm__frame_write(int fd, const struct wcm_frame *frame, size_t number,
		      wcm_name_writer *write_name)
{
	return wcm__text_frame(fd, frame, number, write_name) &&
	       (!wcm__living_wanted() || write_lines(fd, frame));
}

size_t wcm_stack_write(int fd, const struct wcm_frame *frames, size_t count)
{
	size_t written = 0;

	while (written < count &&
	       wcm__frame_write(fd, &frames[written], written, wcm__line_name))
		written++;
	return written;
}
