/* SPDX-License-Identifier: MIT */
/* gcc_plugin.c - finds the plugin that a gcc loads: a plugin is for one version of gcc. */
#include "launch/gcc_plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/complain.h"
#include "base/exit_status.h"
#include "launch/launch.h"
#include "launch/tree_file.h"

extern char **environ;

static const char mark[] = "WHOCALLME_CC_RUNS";

int gcc_marks(void)
{
	const char *marks = getenv(mark);

	return marks ? atoi(marks) : 0;
}

void gcc_mark(void)
{
	char marks[16];

	snprintf(marks, sizeof(marks), "%d", gcc_marks() + 1);
	launch_set(mark, marks);
}

/* Whether NAME, of one word, is a compiler's: more are options, or this command. */
static bool is_compiler(const char *name)
{
	const char *slash = strrchr(name, '/');

	return *name && !strpbrk(name, " \t") &&
	       strcmp(slash ? slash + 1 : name, "whocallme") != 0;
}

const char *gcc_asked(const char *asked)
{
	const char *cc = gcc_marks() > 0 ? NULL : getenv("CC");

	if (asked)
		return asked;
	return cc && is_compiler(cc) ? cc : "gcc";
}

/* Start GCC with OPTION, with its output in the pipe that ends in *OUTPUT.  0, or an error
 * number. */
static int start(const char *gcc, const char *option, pid_t *pid, int *output)
{
	char *argv[] = { (char *)gcc, (char *)option, NULL };
	posix_spawn_file_actions_t actions;
	int ends[2], error;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return errno;
	error = posix_spawn_file_actions_init(&actions);
	if (!error) {
		posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
		posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
						 O_WRONLY, 0);
		error = posix_spawnp(pid, gcc, &actions, NULL, argv, environ);
		posix_spawn_file_actions_destroy(&actions);
	}
	close(ends[1]);
	if (error)
		close(ends[0]);
	*output = ends[0];
	return error;
}

/* The number that GCC's answer to OPTION begins with; 0: it does not.  errno is what kept it from
 * being run, or 0. */
static int answer_to(const char *option, const char *gcc)
{
	char text[64] = "";
	struct sigaction before;
	int output = -1, error;
	bool answers;
	pid_t pid = -1;
	ssize_t got = 0;

	child_expect(&before);
	error = start(gcc, option, &pid, &output);
	if (!error) {
		do
			got = read(output, text, sizeof(text) - 1);
		while (got < 0 && errno == EINTR);
		close(output);
	}
	answers = child_succeeded(error ? -1 : pid, &before) && got > 0;
	errno = error;
	return answers ? atoi(text) : 0;
}

int gcc_version(const char *gcc, int *major)
{
	int error;

	gcc_mark();
	*major = answer_to("-dumpfullversion", gcc); /* which no other compiler knows */
	error = errno;
	if (!error)
		return EXIT_DONE;
	complain("%s: %s", gcc, strerror(error));
	return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUN;
}

bool gcc_is_compiler(const char *gcc)
{
	return answer_to("-dumpversion", gcc) > 0;
}

bool gcc_plugin_find(int major, char path[PATH_MAX])
{
	char built[64], installed[64];

	snprintf(built, sizeof(built), "plugin/gcc-%d/inject.so", major);
	snprintf(installed, sizeof(installed), "whocallme/plugin/%d/inject.so", major);
	return major > 0 && launch_file(built, installed, path);
}

int gcc_plugin_missed(const char *gcc, int major)
{
	if (major <= 0) {
		complain("%s: it is no gcc, and loads no plugins of gcc's", gcc);
		return EXIT_NOT_RUN;
	}
	complain("%s: there is no plugin for gcc %d: none was found when whocallme was built",
		 gcc, major);
	return EXIT_NOT_OURS;
}
