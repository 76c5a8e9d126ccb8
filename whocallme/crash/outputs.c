/* SPDX-License-Identifier: MIT */
/* outputs.c (SAFE) - writes the report to its outputs, file and descriptor, in turn.
 *
 * The file comes first, then the descriptor, then the source lines that were late for both.  A
 * descriptor that has become another file gets nothing; if no file is written either,
 * the terminal takes its place.  What not everybody may see (crash/files/withheld.h)
 * does not go to the file, and no resolver sees it.
 */
#include "crash/handler.h"

#include <errno.h>

#include "core/os/attempt.h"
#include "core/os/clock.h"
#include "core/os/file.h"
#include "core/os/output.h"
#include "crash/files/descriptor.h"
#include "crash/files/report_file.h"
#include "crash/files/withheld.h"
#include "crash/report/report.h"
#include "crash/report/source_lines.h"
#include "crash/report/thread_text.h"
#include "crash/threads/last_calls.h"

/* What is for the descriptor goes to FD, or nowhere if it is negative: where it is closed,
 * a file of the report gets its number. */
struct target {
	int fd;
	bool is_terminal; /* which has taken its place */
};

/* FD, or -1 where it is closed. */
static int open_now(int fd)
{
	struct wcm_descriptor now;

	wcm__descriptor_note(&now, fd);
	return now.state == WCM_DESCRIPTOR_CLOSED ? -1 : fd;
}

static struct target find_target(const struct wcm_crash_plan *plan)
{
	if ((plan->flags & WCM_CRASH_ANY_DESCRIPTOR) ||
	    !wcm__descriptor_is_another(&plan->descriptor))
		return (struct target){ open_now(plan->descriptor.fd), false };
	return (struct target){ wcm__descriptor_terminal(), true };
}

static void leave_target(const struct target *target)
{
	if (target->is_terminal && target->fd >= 0)
		wcm__close(target->fd);
}

static bool has_descriptor(const struct wcm_crash_plan *plan)
{
	return !(plan->flags & WCM_CRASH_FILE_ONLY);
}

static bool is_appended(const struct wcm_crash_plan *plan)
{
	return plan->flags & WCM_CRASH_APPEND;
}

/* When half of the time up to DEADLINE has passed. */
static uint64_t half_way(uint64_t deadline)
{
	const uint64_t now = wcm__clock_ns();

	return now < deadline ? now + (deadline - now) / 2 : deadline;
}

/* Say on TARGET why the file PATH has no whole report, by ERROR. */
static void complain(const struct target *target, const char *path, int error)
{
	if (target->fd < 0)
		return;
	wcm__output_bound(true);
	wcm__crash_file_complain(target->fd, path, error);
}

/* Write REPORT to the file; what of the time that took, the descriptor has not.
 * Returns the file's descriptor, or -1; *PATH is its name. */
static int report_to_file(const struct wcm_crash_plan *plan, const struct target *target,
			  struct wcm_crash_report report, const char **path)
{
	int fd = wcm__crash_file_open(plan->file, is_appended(plan),
				      report.deadline, path);
	int error = fd;

	if (fd >= 0) {
		report.fd = fd;
		report.colours = false;
		wcm__output_bound(true);
		if (wcm__crash_report(&report))
			return fd;
		error = wcm__crash_file_close(fd, is_appended(plan), false,
					      report.deadline);
	}
	complain(target, *path, error);
	return -1;
}

static void close_file(const struct wcm_crash_plan *plan, const struct target *target,
		       int fd, const char *path, uint64_t deadline)
{
	int error = wcm__crash_file_close(fd, is_appended(plan), true,
					  deadline + WCM_APPENDING_NS);

	if (error != 0)
		complain(target, path, error);
}

struct lines {
	const struct wcm_lines_output *outputs;
	int count;
	uint64_t deadline;
};

static void write_source_lines(void *argument)
{
	const struct lines *lines = argument;

	wcm__source_lines_write(lines->outputs, lines->count, lines->deadline);
}

/* The names in them may be damaged. */
static void write_lines(const struct wcm_lines_output *outputs, int count, uint64_t deadline)
{
	struct lines lines = { outputs, count, deadline };

	wcm__attempt(write_source_lines, &lines);
}

/* Write REPORT to where the plan wants it, and then the lines. */
static void report_to_all(const struct wcm_crash_plan *plan, const struct target *target,
			  struct wcm_crash_report report)
{
	const uint64_t deadline = report.deadline;
	struct wcm_lines_output outputs[WCM_LINES_OUTPUTS];
	const char *path;
	int count = 0, file = -1;

	if (plan->resolver.wanted)
		wcm__source_lines_prepare(&plan->resolver);
	if (plan->file[0]) {
		if (has_descriptor(plan))
			report.deadline = half_way(deadline);
		file = report_to_file(plan, target, report, &path);
		report.deadline = deadline;
	}
	if (file >= 0)
		outputs[count++] = (struct wcm_lines_output){ .fd = file };
	if (has_descriptor(plan) && target->fd >= 0 &&
	    !(target->is_terminal && file >= 0)) {
		wcm__output_bound(true);
		if (wcm__crash_report(&report))
			outputs[count++] = (struct wcm_lines_output){
				target->fd, report.colours };
	}
	if (plan->resolver.wanted && count > 0)
		/* A callback is left half of the time that is left. */
		write_lines(outputs, count,
			    plan->callback ? half_way(deadline) : deadline);
	if (file >= 0)
		close_file(plan, target, file, path, deadline);
}

/* Write what of REPORT may be shown, to TARGET. */
static void report_the_rest(const struct wcm_crash_plan *plan, const struct target *target,
			    struct wcm_crash_report report)
{
	report.lined = false;
	wcm__output_bound(true);
	if (has_descriptor(plan) && target->fd >= 0)
		wcm__crash_report(&report);
	if (plan->file[0])
		complain(target, plan->file, -EOPNOTSUPP);
}

void wcm__outputs_report(const struct wcm_crash_plan *plan, const siginfo_t *info,
			 const void *ucontext, uint64_t deadline)
{
	const struct target target = find_target(plan);
	const struct wcm_crash_report report = {
		.time = wcm__last_calls_now(),
		.info = info,
		.ucontext = ucontext,
		.deadline = deadline,
		.sections = plan->sections,
		.fd = target.fd,
		.not_to = target.is_terminal ? plan->descriptor.fd : 0,
		.json = plan->flags & WCM_CRASH_JSON,
		.colours = plan->colours && wcm__is_terminal(target.fd),
		.lined = plan->resolver.wanted,
		.no_arguments = plan->flags & WCM_CRASH_NO_ARGUMENTS,
		.names = plan->names,
		.withheld = wcm__withheld(),
	};

	if (report.withheld)
		report_the_rest(plan, &target, report);
	else
		report_to_all(plan, &target, report);
	leave_target(&target);
}

void wcm__outputs_threads(const struct wcm_crash_plan *plan, const void *ucontext)
{
	const struct target target = find_target(plan);

	if (target.fd >= 0)
		wcm__threads_write_from(target.fd, ucontext, plan->names);
	leave_target(&target);
}
