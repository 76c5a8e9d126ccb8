/* SPDX-License-Identifier: MIT */
/* graph_mode.c - the mode "graph": where its file goes, and when it is written.
 *
 * Whether the path can be written is tried at the start, so that a bad one is an error of
 * wcm_trace_start() and not a graph that is lost at the end.
 */
#include "trace/process/modes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/os/work_stack.h"
#include "core/report/demangle.h"
#include "format/path.h"
#include "load/load.h"
#include "trace/graph/graph_file.h"
#include "trace/graph/sink_graph.h"
#include "trace/process/brought.h"
#include "trace/process/process_end.h"
#include "trace/process/trace_environment.h"
#include "trace/record/lost.h"

static const char usual[] = "whocallme.dot";

/* PATH, whatever directory the program changes to. */
static char *absolute(const char *path)
{
	char *directory, *made = NULL;

	if (*path == '/')
		return strdup(path);
	directory = getcwd(NULL, 0);
	if (directory && asprintf(&made, "%s/%s", directory, path) < 0)
		made = NULL;
	free(directory);
	return made;
}

/* Whether what WHERE is can be written to: a device or a pipe, or a file that is replaced.
 * Returns an errno. */
static int why_not(const struct wcm_path *where)
{
	const bool is_plain = !where->is_there || S_ISREG(where->found.st_mode);
	const char *name = is_plain ? "." : where->name;

	if (wcm__path_trap(where))
		return EXDEV;
	if (where->is_there && S_ISDIR(where->found.st_mode))
		return EISDIR;
	return faccessat(where->folder, name, is_plain ? W_OK | X_OK : W_OK,
			 AT_EACCESS) == 0
		       ? 0
		       : errno;
}

/* The same of PATH, as far as it is known before it is written. */
static bool is_possible(const char *path)
{
	static struct wcm_path where; /* large: one at a time starts a trace */
	int error = -wcm__path_find(&where, path, true);

	if (error == 0) {
		error = why_not(&where);
		if (error == 0)
			wcm__graph_file_keep(&where, wcm__process_end_is_told);
		wcm__path_leave(&where);
	}
	errno = error;
	return error == 0;
}

static void write_graph(void *argument)
{
	(void)argument;
	wcm__graph_write(wcm__line_demangled);
}

/* To take names apart needs more stack than a handler may have. */
static void crash(void)
{
	wcm__work_stack_call(write_graph, NULL);
}

static void stop(void)
{
	wcm__graph_write(wcm__line_demangled);
}

/* Learn the functions of what came by dlopen(3). */
static void learn_names(void)
{
	wcm__load_all(NULL);
}

static enum wcm_status flush(void)
{
	learn_names();
	return wcm__graph_write(wcm__line_demangled) ? WCM_OK : WCM_ESYSTEM;
}

/* A program that has called nothing has no graph to lose. */
static void reserve(enum wcm_gives_up what)
{
	for (const struct wcm_tracer *tracer = wcm__tracer_first(); tracer; tracer = tracer->next)
		if (wcm__graph_has(tracer)) {
			wcm__graph_file_reserve(what);
			return;
		}
}

static enum wcm_status open_graph(const struct wcm_trace_options *options)
{
	static bool registered;
	const struct wcm_brought *brought = wcm__brought_for(options->output);
	enum wcm_status status = WCM_OK;
	char *path = absolute(options->output && *options->output ?
			      options->output : usual);

	if (!path)
		return WCM_ENOMEM;
	if (!brought && !is_possible(path)) {
		status = WCM_EOPEN;
	} else if (brought ? !wcm__graph_file_set_open(path, brought->file)
			  : !wcm__graph_file_set(path, wcm__trace_since(options->output))) {
		errno = ENAMETOOLONG;
		status = WCM_EOPEN;
	}
	free(path); /* leaves errno alone: glibc 2.33, POSIX.1-2024 */
	if (!registered && status == WCM_OK)
		registered = at_quick_exit(wcm_trace_stop) == 0;
	return status;
}

const struct wcm_sink wcm__mode_graph = {
	.wants_ends = true,
	.begin = wcm__graph_begin,
	.enter = wcm__graph_enter,
	.leave = wcm__graph_leave,
	.enter_fast = wcm__graph_enter_fast,
	.leave_fast = wcm__graph_leave_fast,
	.end = wcm__graph_end,
	.fork = wcm__graph_fork,
	.open = open_graph,
	.before_stop = learn_names,
	.stop = stop,
	.crash = crash,
	.flush = flush,
	.exec = wcm__graph_file_unreserve,
	.reserve = reserve,
	.release = wcm__graph_file_release,
	.finish = wcm__lost_tell,
};
