/* SPDX-License-Identifier: MIT */
/* graph.c - who called whom, counted. */
#include "trace/backend.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hook/graph_file.h"
#include "hook/graph_write.h"
#include "hook/roomy.h"
#include "load/load.h"
#include "report/demangle.h"
#include "trace/lost.h"

static const char usual[] = "whocallme.dot";

/* PATH, whatever directory the program changes to and however many links it is. */
static char *absolute(const char *path)
{
	char *directory, *made = realpath(path, NULL);

	if (made || *path == '/')
		return made ? made : strdup(path);
	directory = getcwd(NULL, 0);
	if (directory && asprintf(&made, "%s/%s", directory, path) < 0)
		made = NULL;
	free(directory);
	return made;
}

/* Whether PATH can be written to: a device or a pipe, or a file that is replaced; errno
 * says why not. */
static bool is_possible(const char *path)
{
	char *directory;
	struct stat status;
	bool possible;

	if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
		errno = EISDIR;
		return !S_ISDIR(status.st_mode) && access(path, W_OK) == 0;
	}
	directory = strndup(path, (size_t)(strrchr(path, '/') - path) + 1);
	possible = directory && access(directory, W_OK | X_OK) == 0;
	free(directory);
	return possible;
}

static void write_graph(void *argument)
{
	(void)argument;
	wcm__graph_write(wcm__line_demangled);
}

/* To take names apart needs more stack than a handler may have. */
static void crash(void)
{
	wcm__roomy_call(write_graph, NULL);
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

static enum wcm_status open_graph(const struct wcm_trace_options *options)
{
	static bool registered;
	enum wcm_status status = WCM_OK;
	char *path = absolute(options->output && *options->output ?
			      options->output : usual);

	if (!path)
		return WCM_ENOMEM;
	if (!is_possible(path)) {
		status = WCM_EOPEN;
	} else if (!wcm__graph_file_set(path)) {
		errno = ENAMETOOLONG;
		status = WCM_EOPEN;
	}
	free(path); /* leaves errno alone: glibc 2.33, POSIX.1-2024 */
	if (!registered && status == WCM_OK)
		registered = at_quick_exit(wcm_trace_stop) == 0;
	return status;
}

const struct wcm_backend wcm__backend_graph = {
	.sink = &wcm__sink_graph, .open = open_graph, .before_stop = learn_names,
	.crash = crash, .stop = stop, .flush = flush, .finish = wcm__lost_tell,
};
