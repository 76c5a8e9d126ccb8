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

static const char sections[] = "stack registers code threads modules program calls thread-calls "
			       "all";

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

enum { DEMANGLE = OPTION_LONG, NO_ARGUMENTS, ANY_STDERR, FLIGHT };

static const char names[] = "short full no";

/* Set what the option asks for.  False where its value makes no sense. */
static bool apply(void *to, int key, const char *value)
{
	(void)to;
	switch (key) {
	case 'f':
		if (is_pattern(value))
			launch_set_path("WHOCALLME_FILE", value);
		return is_pattern(value);
	case 's':
		launch_set("WHOCALLME_SECTIONS", value);
		return words_are(sections, value);
	case 'd':
		launch_set("WHOCALLME_DEADLINE", value);
		return is_duration(value);
	case 'a':
		launch_set("WHOCALLME_APPEND", "yes");
		return true;
	case 'n':
		launch_set("WHOCALLME_STDERR", "no");
		return true;
	case ANY_STDERR:
		launch_set("WHOCALLME_STDERR", "any");
		return true;
	case DEMANGLE:
		launch_set("WHOCALLME_DEMANGLE", value);
		return word_of(names, value, strlen(value)) >= 0;
	case FLIGHT:
		return launch_set_flight(value);
	case NO_ARGUMENTS:
		launch_set("WHOCALLME_ARGUMENTS", "no");
		return true;
	case 'j':
		launch_set("WHOCALLME_FORMAT", "json");
		return true;
	case 'q':
		launch_set("WHOCALLME_QUIT", "yes");
		return true;
	case 'c':
		launch_set("WHOCALLME_CHAIN", "first");
		return true;
	case 'L':
		launch_set("WHOCALLME_HELPER", "no");
		return true;
	case 'H':
		return set_helper(value);
	default:
		launch_set("WHOCALLME_CHILDREN", "no");
		return true;
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

static const struct command_option options[] = {
	{ 'f', "file", .value = "PATTERN", .takes = TAKES_FILE,
	  .text = "the report goes to this new file as well: %p is the process, %e the "
		  "program, %t the time, %% a %" },
	{ 'a', "append", .text = "or to what is there of it, behind other reports" },
	{ 'n', "no-stderr", .text = "and only there" },
	{ ANY_STDERR, "any-stderr",
	  .text = "to stderr also where that is another file by then: a daemon's log" },
	{ 'j', "json", .text = "the report is a line of JSON" },
	{ 's', "sections", .value = "LIST", .takes = TAKES_WORDS,
	  .words = sections,
	  .text = "its parts: stack, registers, code, threads, modules, program, calls, "
		  "thread-calls, between commas, or all" },
	{ FLIGHT, "flight", .value = "N", .is_optional = true,
	  .wants = "a number from 1 to 65536",
	  .text = "the last N calls of the thread that crashed, 64 if N is not given; of all "
		  "threads in the section thread-calls" },
	{ DEMANGLE, "demangle", .value = "HOW", .takes = TAKES_WORD,
	  .words = names,
	  .means = "without their types\nwith their types\nas the linker knows them",
	  .text = "names of C++, Rust and D: short (the default), full (with their "
		  "types), or no" },
	{ NO_ARGUMENTS, "no-arguments",
	  .text = "the program's path without its arguments, of which secrets are ***" },
	{ 'd', "deadline", .value = "SECONDS", .wants = "seconds from 0.001 on",
	  .text = "how long it may take (default: 5)" },
	{ 'q', "on-quit", .text = "SIGQUIT writes the stacks of all threads" },
	{ 'c', "chain-first", .text = "the program's own handlers come before the report" },
	{ 'C', "no-children", .text = "not what the program runs in its turn" },
	{ 'L', "no-lines", .text = "no source lines in the report" },
	{ 'H', "helper", .value = "PATH", .takes = TAKES_FILE,
	  .text = "the whocallme that finds them (default: this one)" },
	{ .name = "" },
};

const struct command command_run = {
	.name = "run",
	.operands = "[OPTION...] [--] PROGRAM [ARGUMENT...]",
	.operand = "PROGRAM",
	.summary = "run a program; if it dies of a signal, say why",
	.about = "Run a program that says what killed it, should it die of a signal.\n",
	.options = options,
	.notes = "Exit status: 127 PROGRAM was not found; 126 it cannot be run, or not "
		 "with\n"
		 "the report (it is static or set-user-ID); 125 the report itself is not "
		 "to\n"
		 "be had, or --file cannot be made; 2 usage; else that of PROGRAM.\n",
	.takes = TAKES_PROGRAM,
	.run = cmd_run,
};
