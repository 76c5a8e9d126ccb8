/* SPDX-License-Identifier: MIT */
/* lined_frame.c (SAFE) - writes a frame, and below it its source lines, in a process that has
 * not crashed.
 *
 * The frame is written before the resolver is asked: if it takes too long or dies, the
 * function's name is there.
 */
#include "lines/print.h"

#include "core/report/demangle.h"
#include "core/report/frame.h"
#include "lines/resolver_session.h"

static bool write_lines(int fd, const struct wcm_frame *frame)
{
	const uintptr_t site = wcm_frame_site(frame);
	const struct wcm_placed placed = { *frame, NULL };
	struct wcm_resolver *resolver;
	struct wcm_symbol symbol;
	bool taken;

	if (frame->flags & WCM_FRAME_SIGNAL)
		return true;
	resolver = wcm__lines_ask(site);
	if (!resolver)
		return true;
	taken = !wcm__print_says_more(resolver, wcm__frame_symbol(&placed, &symbol)) ||
		wcm__print_answer(fd, resolver, false, true);
	wcm__lines_give_back(resolver);
	return taken;
}

bool wcm__lined_frame_write(int fd, const struct wcm_frame *frame, size_t number,
		      wcm_name_writer *write_name)
{
	return wcm__frame_write(fd, frame, number, write_name) &&
	       (!wcm__lines_wanted() || write_lines(fd, frame));
}

size_t wcm_stack_write(int fd, const struct wcm_frame *frames, size_t count)
{
	size_t written = 0;

	while (written < count &&
	       wcm__lined_frame_write(fd, &frames[written], written, wcm__line_short))
		written++;
	return written;
}
