/* SPDX-License-Identifier: MIT */
/* cmd_run.c - `whocallme run`: runs a program with the crash report preloaded. */
#include "commands/command.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <whocallme.h>

#include "launch/launch.h"
#include "launch/output_path.h"

/* The program may change its directory before it dies. */
static bool set_helper(const char *path)
{
	char whole[PATH_MAX];
	struct stat status;

	if (!realpath(path, whole) || stat(whole, &status) != 0)
		return false;
	if (!S_ISREG(status.st_mode)) {
		errno = S_ISDIR(status.st_mode) ? EISDIR : EACCES;
		return false;
	}
	if (access(whole, X_OK) != 0)
		return false;
	launch_set("WHOCALLME_HELPER", whole);
	return true;
}

static bool is_pattern(const char *pattern)
{
	for (const char *sign = pattern; (sign = strchr(sign, '%')); sign += 2)
		if (!sign[1] || !strchr("pet%", sign[1]))
			return false;
	return *pattern != '\0';
}

static bool is_duration(const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	return strspn(text, "0123456789.") == strlen(text) && end > text &&
	       !*end && seconds >= 0.001 && seconds <= 1e6;
}

enum {
	OPTION_ANY_STDERR = OPTION_LONG, OPTION_FLIGHT, OPTION_DEMANGLE, OPTION_NO_ARGUMENTS,
};

/* Set what the option asks for.  False where its value makes no sense. */
static bool apply(void *to, int key, const char *value)
{
	(void)to;
	switch (key) {
	case 'f':
		if (is_pattern(value))
			launch_set_path("WHOCALLME_FILE", value);
		return is_pattern(value);
	case OPTION_FLIGHT:
		return launch_set_flight(value);
	case 'H':
		return set_helper(value);
	default:
		return launch_set_option(options_find(&command_run, key), value) &&
		       (key != 'd' || is_duration(value));
	}
}

static bool is_set(const char *name, const char *value)
{
	const char *set = getenv(name);

	return set && strcmp(set, value) == 0;
}

static bool has_file(void)
{
	const char *file = getenv("WHOCALLME_FILE");

	return file && *file;
}

/* The option that means nothing without a file; NULL: there is none. */
static const char *lacks_file(void)
{
	if (is_set("WHOCALLME_STDERR", "no"))
		return "--no-stderr";
	if (is_set("WHOCALLME_APPEND", "yes"))
		return "--append";
	return NULL;
}

/* At the crash nobody could do anything about it. */
static bool prepare(const char *path)
{
	(void)path;
	return !has_file() || output_can_report(getenv("WHOCALLME_FILE"),
						is_set("WHOCALLME_APPEND", "yes"));
}

static int cmd_run(int argc, char *argv[])
{
	int status, program = launch_options(&command_run, argc, argv, apply, &status);

	if (program == 0)
		return status;
	if (!has_file() && lacks_file())
		return options_refuse("%s needs --file", lacks_file());
	return launch(argv + program, &(struct launch){
					      .library = "libwhocallme-preload.so",
					      .variable = "WHOCALLME_PRELOAD",
					      .with = "a crash report",
					      .prepare = prepare });
}

#define SETTING(...)
#define RUN_OPTION(...) OPTION_ROW(__VA_ARGS__)
#define TRACE_OPTION(...)
#define TRACE_ALONE(...)
#define TRACE_HEADING(...)
static const struct command_option options[] = {
#include "format/settings.list"
	{ .name = "" },
};

const struct command command_run = {
	.name = "run",
	.operands = "[OPTION...] [--] PROGRAM [ARGUMENT...]",
	.operand = "PROGRAM",
	.summary = "run a program, and report what it dies of",
	.purpose = FOR_CRASHES,
	.about = "Run a program; if a signal kills it, report which one, where and why.",
	.options = options,
	.statuses =
		"125 the library was not found, or --file cannot be made\n"
		"126 PROGRAM cannot be run, or is static or set-user-ID\n"
		"127 PROGRAM was not found\n"
		"2   usage\n"
		"otherwise, the status of PROGRAM",
	.examples =
		"whocallme run ./prog\n"
		"whocallme run --json --file=/tmp/crash-%e-%p ./prog",
	.takes = TAKES_PROGRAM,
	.run = cmd_run,
};
