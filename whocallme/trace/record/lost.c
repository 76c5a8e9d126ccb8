/* SPDX-License-Identifier: MIT */
/* lost.c - says on stderr how many events of a trace were lost, and why. */
#include "trace/record/lost.h"

#include "format/line.h"
#include "core/unwind/changed_return.h"
#include "trace/engine/sharing.h"
#include "trace/engine/trace_stderr.h"
#include "trace/engine/tracer_life.h"
#include "whocallme/trace.h"

/* A reason, if COUNT events were lost for it; *BEFORE is what stands before it. */
static void add(struct wcm_line *line, const char **before, uint64_t count,
		const char *reason)
{
	if (count == 0)
		return;
	wcm__line_text(line, *before);
	wcm__line_decimal(line, (int64_t)count);
	wcm__line_text(line, reason);
	*before = ", ";
}

/* A line of its own: COUNT and WORDS. */
static void tell_of(uint64_t count, const char *words)
{
	struct wcm_line line;

	if (count == 0)
		return;
	wcm__line_begin(&line, wcm__trace_stderr());
	wcm__line_decimal(&line, (int64_t)count);
	wcm__line_text(&line, words);
	wcm__line_write(&line);
}

/* Calls of functions with sleds, which return to where they would without a trace. */
static void tell_unended(void)
{
	tell_of(__atomic_load_n(&wcm__return_refused, __ATOMIC_RELAXED),
		" calls were traced without their ends: no room for their return addresses\n");
}

static void tell_passed_over(void)
{
	tell_of(wcm__sharing_passed_over(), " events were passed over, of threads that share "
					    "another's thread-local variables\n");
}

/* The lock of a recording is had in a second, but where somebody keeps it. */
static void tell_refused(uint64_t refused)
{
	tell_of(refused,
		" changes of the recording's file info were not made, which could not be locked: "
		"uftrace does not show the tasks, or calls as deep, that are missing there\n");
}

static void tell(const char *directory, uint64_t without_room)
{
	const uint64_t too_deep = wcm__tracers_too_deep(), starved = wcm__tracers_starved();
	const uint64_t known = too_deep + without_room + starved;
	const char *before = ": ";
	struct wcm_trace_counts counts;
	struct wcm_line line;

	if (wcm__tracer_is_in_child()) /* what is counted is the parent's */
		return;
	tell_unended();
	tell_passed_over();
	wcm_trace_count(&counts);
	if (counts.lost == 0)
		return;
	wcm__line_begin(&line, wcm__trace_stderr());
	wcm__line_decimal(&line, (int64_t)counts.lost);
	wcm__line_text(&line, " events were lost");
	if (directory) {
		wcm__line_text(&line, ", recording to ");
		wcm__line_name(&line, directory);
	}
	add(&line, &before, too_deep, " calls, too many being open");
	add(&line, &before, without_room, " for which there was no room");
	add(&line, &before, starved, " in threads for which there was no memory");
	if (counts.lost > known)
		add(&line, &before, counts.lost - known,
		    " in signal handlers that had interrupted the trace");
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
}

void wcm__lost_tell(void)
{
	tell(NULL, 0);
}

void wcm__lost_tell_recording(const char *directory, uint64_t without_room, uint64_t refused)
{
	if (!wcm__tracer_is_in_child())
		tell_refused(refused);
	tell(directory, without_room);
}
