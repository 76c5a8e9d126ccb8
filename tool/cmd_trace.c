/* SPDX-License-Identifier: MIT */
/* cmd_trace.c - whocallme trace: run a program and have each of its calls. */
#include "command.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "duration.h"
#include "hooks.h"
#include "launch.h"

#define PREFIX "WHOCALLME_TRACE_"

static const char help[] =
	"Usage: whocallme trace [OPTION...] [--] PROGRAM [ARGUMENT...]\n"
	"Run a program built with -finstrument-functions and have each of its calls.\n"
	"\n"
	"      --log[=FILE]      a line a call, indented, to stderr or FILE (default)\n"
	"      --pairs[=FILE]    a line a call, with the function's caller\n"
	"      --addresses[=FILE] a line an event, E or X and the address\n"
	"      --record=DIR      into a recording, for whocallme replay or uftrace\n"
	"      --graph=FILE      as a graph of who called whom, for dot; in FILE and\n"
	"                        DIR, %p is the process\n"
	"  -e, --exits           lines for the ends of calls, too, with their time\n"
	"      --no-times        a graph of counts alone, which costs less\n"
	"      --no-signals      no report of a crash, and no graph where a signal ends\n"
	"                        PROGRAM\n"
	"      --no-carry        what PROGRAM runs in an environment that says nothing\n"
	"                        of the trace is not traced\n"
	"  -f, --force           though nothing in PROGRAM calls hooks: what it loads\n"
	"                        or runs may\n"
	"\n"
	"Which calls; GLOBS are patterns between commas:\n"
	"  -F, --functions=GLOBS, -N, --not-functions=GLOBS\n"
	"                        by name, mangled or not\n"
	"  -M, --modules=GLOBS, --not-modules=GLOBS\n"
	"                        by the executable or library they are in\n"
	"  -S, --sources=GLOBS, --not-sources=GLOBS\n"
	"                        by source file, where there is debug data\n"
	"  -k, --keep-callees    and all that those kept by their names call\n"
	"  -H, --hide-callees    without what those dropped by their names call\n"
	"  -D, --depth=N         no deeper than N (the outermost is 1)\n"
	"  -t, --time-filter=TIME\n"
	"                        none shorter than TIME: 100 (ns), 5us, 1ms, 2s\n"
	"  -T, --threads=GLOBS   of threads with these names or numbers\n"
	"  -h, --help            show this help\n"
	"\n"
	"Exit status: 127 PROGRAM was not found; 126 it cannot be run, or not with\n"
	"the library (it is static or set-user-ID); 125 it has no hooks, or the\n"
	"library is not to be had; 2 usage; else that of PROGRAM.\n";

enum {
	OPTION_LOG = 0x100, OPTION_PAIRS, OPTION_ADDRESSES, OPTION_RECORD,
	OPTION_GRAPH, OPTION_NO_TIMES, OPTION_NO_SIGNALS, OPTION_NOT_MODULES,
	OPTION_NOT_SOURCES, OPTION_NO_CARRY,
};

static const struct option options[] = {
	{ "log", optional_argument, NULL, OPTION_LOG },
	{ "pairs", optional_argument, NULL, OPTION_PAIRS },
	{ "addresses", optional_argument, NULL, OPTION_ADDRESSES },
	{ "record", required_argument, NULL, OPTION_RECORD },
	{ "graph", required_argument, NULL, OPTION_GRAPH },
	{ "exits", no_argument, NULL, 'e' },
	{ "no-times", no_argument, NULL, OPTION_NO_TIMES },
	{ "no-signals", no_argument, NULL, OPTION_NO_SIGNALS },
	{ "no-carry", no_argument, NULL, OPTION_NO_CARRY },
	{ "force", no_argument, NULL, 'f' },
	{ "functions", required_argument, NULL, 'F' },
	{ "not-functions", required_argument, NULL, 'N' },
	{ "modules", required_argument, NULL, 'M' },
	{ "not-modules", required_argument, NULL, OPTION_NOT_MODULES },
	{ "sources", required_argument, NULL, 'S' },
	{ "not-sources", required_argument, NULL, OPTION_NOT_SOURCES },
	{ "keep-callees", no_argument, NULL, 'k' },
	{ "hide-callees", no_argument, NULL, 'H' },
	{ "depth", required_argument, NULL, 'D' },
	{ "time-filter", required_argument, NULL, 't' },
	{ "threads", required_argument, NULL, 'T' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* What was asked for that is more than a variable. */
static struct {
	bool has_mode, has_modes, exits, untimed, force, keep, hide;
} asked;

/* The variable that an option of one value sets; NULL: it is no such option. */
static const char *variable_of(int option)
{
	switch (option) {
	case 'F':
		return PREFIX "FUNCTIONS";
	case 'N':
		return PREFIX "NOT_FUNCTIONS";
	case 'M':
		return PREFIX "MODULES";
	case OPTION_NOT_MODULES:
		return PREFIX "NOT_MODULES";
	case 'S':
		return PREFIX "SOURCES";
	case OPTION_NOT_SOURCES:
		return PREFIX "NOT_SOURCES";
	case 'T':
		return PREFIX "THREADS";
	case 'D':
		return PREFIX "DEPTH";
	default:
		return NULL;
	}
}

static bool set_mode(const char *mode, const char *output)
{
	launch_set("WHOCALLME_TRACE", mode);
	asked.has_modes = asked.has_mode;
	asked.has_mode = true;
	if (output && *output)
		launch_set_path("WHOCALLME_OUTPUT", output);
	else
		unsetenv("WHOCALLME_OUTPUT");
	return !output || *output;
}

static bool set_least(const char *value)
{
	char number[32];
	uint64_t nanoseconds;

	if (!duration_parse(value, &nanoseconds))
		return false;
	snprintf(number, sizeof(number), "%llu", (unsigned long long)nanoseconds);
	launch_set(PREFIX "MIN_NS", number);
	return true;
}

static bool is_depth(const char *value)
{
	const size_t digits = strspn(value, "0123456789");

	return digits > 0 && digits < 10 && !value[digits] && atoi(value) > 0;
}

/* Set what the option asks for.  False where its value makes no sense. */
static bool apply(int option, const char *value)
{
	/* The name of the option that sets a mode is the mode's. */
	if (option >= OPTION_LOG && option <= OPTION_GRAPH)
		return set_mode(launch_option_name(options, option), value);
	switch (option) {
	case 'e':
		asked.exits = true;
		launch_set(PREFIX "EXITS", "yes");
		return true;
	case OPTION_NO_TIMES:
		asked.untimed = true;
		launch_set(PREFIX "TIMES", "no");
		return true;
	case OPTION_NO_SIGNALS:
		launch_set(PREFIX "SIGNALS", "no");
		return true;
	case OPTION_NO_CARRY:
		launch_set(PREFIX "CARRY", "no");
		return true;
	case 'f':
		asked.force = true;
		return true;
	case 'k':
		asked.keep = true;
		return true;
	case 'H':
		asked.hide = true;
		return true;
	case 't':
		return set_least(value);
	default:
		launch_set(variable_of(option), value);
		return *value && (option != 'D' || is_depth(value));
	}
}

static void finish_options(void)
{
	const char *mode = getenv("WHOCALLME_TRACE");

	if (!asked.has_mode && (!mode || !*mode))
		launch_set("WHOCALLME_TRACE", "log");
	if (asked.keep || asked.hide)
		launch_set(PREFIX "CALLEES", !asked.hide ? "keep" :
					     !asked.keep ? "hide" :
							   "keep,hide");
}

/* Why the options do not go together; NULL: they do. */
static const char *conflict(void)
{
	const char *mode = getenv("WHOCALLME_TRACE");

	if (asked.has_modes)
		return "--log, --pairs, --addresses, --record and --graph are one at a "
		       "time";
	if (asked.exits && strcmp(mode, "log") != 0 && strcmp(mode, "pairs") != 0)
		return "--exits is for --log and --pairs; the others have them anyway";
	if (asked.untimed && strcmp(mode, "graph") != 0)
		return "--no-times is for --graph";
	return NULL;
}

/* What has calls says at its end what of a filter they do not match, not also each
 * program that it runs. */
static void set_teller(enum hooks hooks)
{
	char number[32];

	snprintf(number, sizeof(number), "%ld", (long)getpid());
	if (hooks == HOOKS_CALLED || hooks == HOOKS_LINKED)
		launch_set(PREFIX "PID", number);
	else
		unsetenv(PREFIX "PID");
}

/* A script, or what a program runs, keeps quiet where nothing calls hooks. */
static const char *refuses(struct launch *how, const char *path, int *status)
{
	const enum hooks hooks = hooks_find(path);

	unsetenv(PREFIX "HOOKED_ONLY");
	set_teller(hooks);
	how->is_linked = hooks == HOOKS_LINKED;
	if (how->is_linked || asked.force)
		return NULL;
	*status = EXIT_NOT_OURS;
	if (hooks == HOOKS_NONE)
		return "nothing in it calls hooks; build it with "
		       "-finstrument-functions, or give --force if what it loads "
		       "or runs was";
	if (hooks == HOOKS_OWN)
		return "it has hooks of its own, __cyg_profile_func_enter()";
	*status = EXIT_NOT_RUN;
	launch_set(PREFIX "HOOKED_ONLY", "yes");
	return NULL;
}

static const char if_static[] =
	"it is linked statically and loads no library; build it with "
	"-finstrument-functions and libwhocallme.a";

int cmd_trace(int argc, char *argv[])
{
	static const struct launch_options wanted = {
		.command = "trace",
		.help = help,
		.brief = "+efF:N:M:S:kHD:t:T:h",
		.all = options,
		.apply = apply,
	};
	int status, program = launch_options(&wanted, argc, argv, &status);
	const char *wrong;

	if (program == 0)
		return status;
	finish_options();
	wrong = conflict();
	if (wrong) {
		fprintf(stderr, "whocallme: %s\n", wrong);
		return EXIT_USAGE;
	}
	return launch(argv + program, &(struct launch){
					      .library = "libwhocallme.so.0",
					      .variable = "WHOCALLME_LIBRARY",
					      .with = "a trace",
					      .if_static = if_static,
					      .refuses = refuses });
}
