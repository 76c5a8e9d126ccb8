/* SPDX-License-Identifier: MIT */
/* lined_frame.c - a frame of a living program, with its lines.
 *
 * The frame is out before the question is asked: whatever becomes of that, the
 * names are there.
 */
#include "lines/lined_frame.h"

#include "lines/living.h"
#include "lines/print.h"
#include "report/demangle.h"

/* Whether the answer has more than the name that the frame has shown already. */
static bool says_more(struct wcm_dialogue *dialogue, uintptr_t site)
{
	struct wcm_answered answered;
	struct wcm_symbol symbol;
	bool found = wcm__dialogue_next(dialogue, &answered);

	wcm__dialogue_again(dialogue);
	return dialogue->complaint ||
	       (found && (answered.file || answered.inlined ||
			  wcm_symbol_peek(site, &symbol) != WCM_OK));
}

static bool write_lines(int fd, const struct wcm_frame *frame)
{
	const uintptr_t site = wcm_frame_site(frame);
	struct wcm_dialogue *dialogue;
	bool taken;

	if (frame->flags & WCM_FRAME_SIGNAL)
		return true;
	dialogue = wcm__living_ask(site);
	if (!dialogue)
		return true;
	taken = !says_more(dialogue, site) ||
		wcm__print_answer(fd, dialogue, false);
	wcm__living_give_back(dialogue);
	return taken;
}

bool wcm__lined_frame_write(int fd, const struct wcm_frame *frame, size_t number,
		      wcm_name_writer *write_name)
{
	return wcm__text_frame(fd, frame, number, write_name) &&
	       (!wcm__living_wanted() || write_lines(fd, frame));
}

size_t wcm_stack_write(int fd, const struct wcm_frame *frames, size_t count)
{
	size_t written = 0;

	while (written < count &&
	       wcm__lined_frame_write(fd, &frames[written], written, wcm__line_short))
		written++;
	return written;
}
