/* SPDX-License-Identifier: MIT */
/* outputs.c - where a crash is reported to.
 *
 * To the file first, then to the descriptor, then the source lines to both.  What must
 * not be shown to all (crash/withheld.h) goes to the descriptor alone, and no helper sees
 * it.
 */
#include "crash/outputs.h"

#include <errno.h>

#include "crash/clock.h"
#include "crash/file.h"
#include "crash/helper.h"
#include "crash/report.h"
#include "crash/thread_text.h"
#include "crash/withheld.h"
#include "report/output.h"

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

/* Say on the descriptor why the file PATH has no whole report, by ERROR. */
static void complain(const struct wcm_crash_plan *plan, const char *path, int error)
{
	wcm__output_bound(true);
	wcm__crash_file_complain(plan->fd, path, error);
}

/* Write REPORT to the file; what of the time that took, the descriptor has not.
 * Returns the file's descriptor, or -1; *PATH is its name. */
static int report_to_file(const struct wcm_crash_plan *plan,
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
	complain(plan, *path, error);
	return -1;
}

static void close_file(const struct wcm_crash_plan *plan, int fd,
		       const char *path, uint64_t deadline)
{
	int error = wcm__crash_file_close(fd, is_appended(plan), true,
					  deadline + WCM_APPENDING_NS);

	if (error != 0)
		complain(plan, path, error);
}

/* Write REPORT to where the plan wants it, and then the lines. */
static void report_to_all(const struct wcm_crash_plan *plan,
			  struct wcm_crash_report report)
{
	const uint64_t deadline = report.deadline;
	struct wcm_lines_output outputs[WCM_LINES_OUTPUTS];
	const char *path;
	int count = 0, file = -1;

	if (plan->file[0]) {
		if (has_descriptor(plan))
			report.deadline = half_way(deadline);
		file = report_to_file(plan, report, &path);
		report.deadline = deadline;
	}
	if (file >= 0)
		outputs[count++] = (struct wcm_lines_output){ .fd = file };
	/* A file that has got its number found the descriptor closed. */
	if (has_descriptor(plan) && file != plan->fd) {
		/* The same lines for both: what fails is the descriptor. */
		report.noted &= file < 0;
		wcm__output_bound(true);
		if (wcm__crash_report(&report))
			outputs[count++] = (struct wcm_lines_output){
				plan->fd, report.colours };
	}
	if (plan->resolver.wanted && count > 0)
		/* A callback is left half of the time that is left. */
		wcm__crash_helper_write(&plan->resolver, outputs, count,
					plan->callback ? half_way(deadline)
						       : deadline);
	if (file >= 0)
		close_file(plan, file, path, deadline);
}

/* Write what of REPORT may be shown, to the descriptor. */
static void report_the_rest(const struct wcm_crash_plan *plan,
			    struct wcm_crash_report report)
{
	report.noted = false;
	wcm__output_bound(true);
	if (has_descriptor(plan))
		wcm__crash_report(&report);
	if (plan->file[0])
		complain(plan, plan->file, -EOPNOTSUPP);
}

void wcm__outputs_report(const struct wcm_crash_plan *plan, const siginfo_t *info,
			 const void *ucontext, uint64_t deadline)
{
	const struct wcm_crash_report report = {
		.info = info,
		.ucontext = ucontext,
		.deadline = deadline,
		.sections = plan->sections,
		.fd = plan->fd,
		.json = plan->flags & WCM_CRASH_JSON,
		.colours = plan->colours && wcm__is_terminal(plan->fd),
		.noted = plan->resolver.wanted,
		.no_arguments = plan->flags & WCM_CRASH_NO_ARGUMENTS,
		.names = plan->names,
		.withheld = wcm__withheld(),
	};

	if (report.withheld)
		report_the_rest(plan, report);
	else
		report_to_all(plan, report);
}

void wcm__outputs_threads(const struct wcm_crash_plan *plan, const void *ucontext)
{
	wcm__threads_write_from(plan->fd, ucontext, plan->names);
}
