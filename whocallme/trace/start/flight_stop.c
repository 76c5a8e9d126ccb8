/* SPDX-License-Identifier: MIT */
/* flight_stop.c (SAFE) - ends the flight recorder, and writes what it has, in any state of the
 * process.
 */
#include "core/report/demangle.h"
#include "format/line.h"
#include "crash/files/withheld.h"
#include "crash/threads/last_calls.h"
#include "crash/threads/tasks.h"
#include "trace/flight/flight_ring.h"
#include "trace/sleds/sleds.h"
#include "whocallme/trace.h"

/* A sled that still calls finds the recorder off. */
void wcm_flight_stop(void)
{
	wcm__last_calls_keep(NULL);
	wcm__flight_close();
	wcm__sleds_off(WCM_SLEDS_FOR_FLIGHT);
}

struct writing {
	struct wcm_last_calls_text text;
	uint64_t now;
	bool failed;
};

static bool write_thread(int tid, void *data)
{
	struct writing *writing = data;
	char name[WCM_THREAD_NAME];
	struct wcm_line line;

	wcm__thread_name(tid, name);
	wcm__line_begin(&line, writing->text.fd);
	wcm__line_text(&line, "thread ");
	wcm__line_decimal(&line, tid);
	wcm__line_text(&line, " ");
	wcm__line_quoted(&line, name);
	wcm__line_text(&line, "\n");
	writing->failed = !wcm__line_write(&line) ||
			  !wcm__last_calls_write(&writing->text, tid, writing->now);
	return !writing->failed;
}

enum wcm_status wcm_flight_write(int fd)
{
	const struct wcm_last_calls_text text = { fd, !wcm__withheld(),
						  wcm__names_writer(WCM_NAMES_SHORT) };
	struct writing writing = { .text = text, .now = wcm__last_calls_now() };

	if (!wcm__flight_visit(write_thread, &writing))
		return WCM_EINVAL;
	return writing.failed ? WCM_ESYSTEM : WCM_OK;
}
