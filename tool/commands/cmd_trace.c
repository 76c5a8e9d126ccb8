/* SPDX-License-Identifier: MIT */
/* cmd_trace.c - `whocallme trace`: records each call of a program that it runs, or of a running
 * process.
 *
 * What is asked for is put into the environment: of the program, or, as words, of the request
 * to the agent of the process.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agent/find_agent.h"
#include "agent/trace_running.h"
#include "base/complain.h"
#include "base/duration.h"
#include "base/exit_status.h"
#include "commands/command.h"
#include "format/sled_code.h"
#include "launch/hooks.h"
#include "launch/launch.h"
#include "launch/output_path.h"
#include "prototypes/hand_over.h"

/* What is said of a program in which nothing can be traced.
 *
 * Each says what to build it with, by what this CPU has. */

static const char if_nothing[] =
	"nothing in it can be traced; build it with -fpatchable-function-entry=5 (C++ by g++: "
	"whocallme cc --mode=sled --gcc=g++), which costs "
	"nothing until it is traced, or with -finstrument-functions, which shows the ends of "
	"calls, too, or give --library-calls, --system-calls or --probes, which need neither, or "
	"--force if what it loads or runs was built so";

static const char if_nothing_without_sleds[] =
	"nothing in it can be traced; build it with -finstrument-functions, or give --force if "
	"what it loads or runs was built so: functions of -fpatchable-function-entry are not "
	"traced on this CPU";

/* It has nothing to trace calls by. */
static const char *untraceable_by_hooks(void)
{
	return wcm__sled_code_has_port() ? if_nothing : if_nothing_without_sleds;
}

static const char if_static[] =
	"it is linked statically and loads no library; build it with "
	"-fpatchable-function-entry=5 or -finstrument-functions, and with "
	"-Wl,-u,wcm_trace_start and libwhocallme.a";

static const char if_static_without_sleds[] =
	"it is linked statically and loads no library; build it with -finstrument-functions "
	"and with -Wl,-u,wcm_trace_start and libwhocallme.a";

static const char agent_if_static[] =
	"it is linked statically and loads no library; build it with -Wl,-u,wcm_agent_start and "
	"libwhocallme.a";

/* It is linked statically and has no library in it; AGENT_ALONE: nor is anything else asked for. */
static const char *untraceable_static(bool agent_alone)
{
	return agent_alone               ? agent_if_static :
	       wcm__sled_code_has_port() ? if_static :
					   if_static_without_sleds;
}

#define PREFIX "WHOCALLME_TRACE_"

enum {
	OPTION_LOG = OPTION_LONG, OPTION_PAIRS, OPTION_ADDRESSES, OPTION_RECORD,
	OPTION_GRAPH, OPTION_NO_TIMES, OPTION_NO_SIGNALS, OPTION_NOT_MODULES,
	OPTION_NOT_SOURCES, OPTION_NO_CARRY, OPTION_STOP, OPTION_FLIGHT,
	OPTION_AGENT, OPTION_LIBRARY_CALLS, OPTION_FROM, OPTION_SYSTEM_CALLS,
	OPTION_NO_DATA, OPTION_PROBES, OPTION_TIME,
};

/* What was asked for that is more than a variable. */
static struct {
	bool has_mode, has_modes, has_dash, exits, untimed, force, keep, hide, append;
	bool stop, flight, has_calls; /* a number for the recorder */
	bool selects, arguments, no_data, time;
	bool agent, unsignalled, uncarried; /* which are for a PROGRAM alone */
	long pid; /* of a running process; 0: a PROGRAM is run */
} asked;

static struct {
	int key;
	const char *variable;
	bool is_begun;
} lists[] = {
	{ 'F', PREFIX "FUNCTIONS", false },
	{ 'N', PREFIX "NOT_FUNCTIONS", false },
	{ 'M', PREFIX "MODULES", false },
	{ OPTION_NOT_MODULES, PREFIX "NOT_MODULES", false },
	{ 'S', PREFIX "SOURCES", false },
	{ OPTION_NOT_SOURCES, PREFIX "NOT_SOURCES", false },
	{ 'T', PREFIX "THREADS", false },
	{ OPTION_LIBRARY_CALLS, PREFIX "LIBRARY_CALLS", false },
	{ OPTION_FROM, PREFIX "LIBRARY_CALLERS", false },
	{ 'A', PREFIX "ARGUMENTS", false },
	{ OPTION_SYSTEM_CALLS, PREFIX "SYSTEM_CALLS", false },
	{ OPTION_PROBES, PREFIX "PROBES", false },
};

/* Lists of one kind add up; the first takes the place of what the environment says. */
static bool add_list(int key, const char *globs)
{
	size_t i = 0;
	char *both;

	while (lists[i].key != key)
		i++;
	if (!lists[i].is_begun) {
		launch_set(lists[i].variable, globs);
	} else if (asprintf(&both, "%s,%s", getenv(lists[i].variable), globs) >= 0) {
		launch_set(lists[i].variable, both);
		free(both);
	}
	lists[i].is_begun = true;
	return *globs;
}

static bool set_mode(const char *mode, const char *output)
{
	launch_set("WHOCALLME_TRACE", mode);
	asked.has_modes = asked.has_mode;
	asked.has_mode = true;
	asked.has_dash |= output && strcmp(output, "-") == 0;
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

/* Options without a value: what they say, and the variable that they set. */
static const struct {
	int key;
	bool *is_asked;
	const char *variable, *value;
} switches[] = {
	{ 'e', &asked.exits, PREFIX "EXITS", "yes" },
	{ OPTION_NO_TIMES, &asked.untimed, PREFIX "TIMES", "no" },
	{ OPTION_AGENT, &asked.agent, "WHOCALLME_AGENT", "yes" },
	{ OPTION_NO_SIGNALS, &asked.unsignalled, PREFIX "SIGNALS", "no" },
	{ OPTION_NO_CARRY, &asked.uncarried, PREFIX "CARRY", "no" },
	{ OPTION_NO_DATA, &asked.no_data, PREFIX "DATA", "no" },
	{ OPTION_STOP, &asked.stop, NULL, NULL },
	{ 'a', &asked.append, NULL, NULL },
	{ 'f', &asked.force, NULL, NULL },
	{ 'k', &asked.keep, NULL, NULL },
	{ 'H', &asked.hide, NULL, NULL },
};

/* False: KEY is none of them. */
static bool apply_switch(int key)
{
	for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++) {
		if (switches[i].key != key)
			continue;
		*switches[i].is_asked = true;
		if (switches[i].variable)
			launch_set(switches[i].variable, switches[i].value);
		return true;
	}
	return false;
}

/* Set what the option asks for.  False where its value makes no sense. */
static bool apply(void *to, int key, const char *value)
{
	(void)to;
	/* The name of the option that sets a mode is the mode's. */
	if (key >= OPTION_LOG && key <= OPTION_GRAPH)
		return set_mode(options_name(&command_trace, key), value);
	asked.selects |= key < OPTION_LONG ? strchr("FNMSTtDkH", key) != NULL :
					     key == OPTION_NOT_MODULES || key == OPTION_NOT_SOURCES;
	asked.arguments |= key == 'A';
	if (apply_switch(key))
		return true;
	switch (key) {
	case OPTION_LIBRARY_CALLS:
	case OPTION_SYSTEM_CALLS:
	case OPTION_PROBES:
	case 'A':
		return add_list(key, value ? value : "*");
	case 'p':
		return agent_read_pid(value, &asked.pid);
	case OPTION_FLIGHT:
		asked.flight = true;
		asked.has_calls = value;
		return launch_set_flight(value);
	case 't':
		return set_least(value);
	case OPTION_TIME:
		asked.time = true;
		launch_set(PREFIX "TIME", value);
		return word_of(option_times, value, strlen(value)) >= 0;
	case 'D':
		launch_set(PREFIX "DEPTH", value);
		return is_depth(value);
	default:
		return add_list(key, value);
	}
}

/* Times count from when this trace begins, not one that this command is traced by. */
static void finish_options(void)
{
	const char *mode = getenv("WHOCALLME_TRACE");

	unsetenv(PREFIX "START");
	if (!asked.has_mode && (!mode || !*mode))
		launch_set("WHOCALLME_TRACE", asked.agent ? "" : "log");
	if (asked.keep || asked.hide)
		launch_set(PREFIX "CALLEES", !asked.hide ? "keep" :
					     !asked.keep ? "hide" :
							   "keep,hide");
}

static bool is_set(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value;
}

/* Whether nothing is traced until a client of the agent asks for it. */
static bool waits(void)
{
	return !*getenv("WHOCALLME_TRACE");
}

static bool writes_lines(void)
{
	const char *mode = getenv("WHOCALLME_TRACE");

	return strcmp(mode, "record") != 0 && strcmp(mode, "graph") != 0;
}

/* Why the options do not go together; NULL: they do. */
static const char *conflict(void)
{
	const char *mode = getenv("WHOCALLME_TRACE");

	if (asked.has_modes)
		return "--log, --pairs, --addresses, --record and --graph are one at a "
		       "time";
	if (asked.has_dash)
		return "- is no FILE or DIR: without =FILE lines go to standard error, and ./- is "
		       "a file of that name";
	if (asked.exits && strcmp(mode, "log") != 0 && strcmp(mode, "pairs") != 0)
		return "--exits is for --log and --pairs; the others have them anyway";
	if (asked.append && (!writes_lines() || !getenv("WHOCALLME_OUTPUT")))
		return "--append needs the FILE of --log, --pairs or --addresses";
	if (asked.untimed && strcmp(mode, "graph") != 0)
		return "--no-times is for --graph";
	if (asked.time && asked.flight && asked.pid)
		return "--time is for --flight of a PROGRAM";
	if (asked.time && !asked.flight && strcmp(mode, "log") != 0)
		return "--time is for --log and --flight; of a recording, for whocallme replay";
	if (waits() && asked.selects)
		return "--agent alone traces nothing; which calls is said to trace --pid";
	if (asked.pid && (asked.agent || asked.unsignalled || asked.uncarried))
		return "--agent, --no-signals and --no-carry are for a PROGRAM";
	if (asked.stop && !asked.pid)
		return "--stop needs --pid";
	if (asked.arguments && strcmp(mode, "log") != 0 && strcmp(mode, "record") != 0)
		return "--arguments is for --log and --record";
	if (is_set(PREFIX "LIBRARY_CALLERS") && !is_set(PREFIX "LIBRARY_CALLS"))
		return "--from is for --library-calls";
	if (is_set(PREFIX "SYSTEM_CALLS") && !waits() &&
	    (strcmp(mode, "pairs") == 0 || strcmp(mode, "addresses") == 0))
		return "--system-calls is for --log, --record and --graph";
	if (is_set(PREFIX "PROBES") && !waits() &&
	    (strcmp(mode, "pairs") == 0 || strcmp(mode, "addresses") == 0))
		return "--probes is for --log, --record and --graph";
	if (asked.no_data && !is_set(PREFIX "SYSTEM_CALLS"))
		return "--no-data is for --system-calls";
	if (asked.pid && (asked.stop || asked.flight) && asked.has_mode)
		return "of a running process, --stop, --flight and a kind of trace are one at "
		       "a time";
	if (asked.stop && asked.has_calls)
		return "--stop ends what --flight keeps, of which it takes no number";
	return NULL;
}

/* What has calls says at its end what of a filter they do not match, not also each
 * program that it runs. */
static void set_teller(enum hooks hooks)
{
	char number[32];

	snprintf(number, sizeof(number), "%ld", (long)getpid());
	launch_set(PREFIX "FIRST", number);
	if (hooks == HOOKS_CALLED || hooks == HOOKS_UNLISTED || hooks == HOOKS_LINKED ||
	    is_set(PREFIX "PROBES"))
		launch_set(PREFIX "PID", number);
	else
		unsetenv(PREFIX "PID");
}

/* A script, or what a program runs, keeps quiet where nothing can be traced. */
static const char *refuses(struct launch *how, const char *path, int *status)
{
	const enum hooks hooks = hooks_find(path);

	unsetenv(PREFIX "HOOKED_ONLY");
	set_teller(hooks);
	how->is_linked = hooks == HOOKS_LINKED;
	if (hooks == HOOKS_UNSEEN && !waits())
		complain("%s: patchable functions of it are not traced: it has no section headers, "
			 "which tell where they are", path);
	if (how->is_linked || asked.force || hooks == HOOKS_UNLISTED || waits() ||
	    is_set(PREFIX "LIBRARY_CALLS") || is_set(PREFIX "SYSTEM_CALLS") ||
	    is_set(PREFIX "PROBES"))
		return NULL;
	*status = EXIT_NOT_OURS;
	if (hooks == HOOKS_NONE)
		return untraceable_by_hooks();
	if (hooks == HOOKS_OWN)
		return "it has hooks of its own, __cyg_profile_func_enter()";
	*status = EXIT_NOT_RUN;
	launch_set(PREFIX "HOOKED_ONLY", "yes");
	return NULL;
}

/* Whether a recording that is there may be put aside. */
static bool replaces(void)
{
	static const char name[] = PREFIX "REPLACE";
	const char *said;

	if (asked.force)
		launch_set(name, "yes");
	said = getenv(name);
	return said && strcmp(said, "yes") == 0;
}

/* The present by the clock of file systems. */
static void set_since(char since[static OUTPUT_SINCE])
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	snprintf(since, OUTPUT_SINCE, "%lld%09ld", (long long)now.tv_sec, now.tv_nsec);
}

/* What was written before the trace began is not of it: a process that comes upon a file
 * of that time empties it, or replaces it by its graph.  Lines' is emptied here for the
 * program itself. */
static bool prepare(void)
{
	const char *output = getenv("WHOCALLME_OUTPUT");
	char since[OUTPUT_SINCE] = "";

	unsetenv(PREFIX "SINCE");
	if (!output || !*output || waits())
		return true;
	if (strcmp(getenv("WHOCALLME_TRACE"), "record") == 0)
		return output_can_record(output, replaces());
	if (!writes_lines()) {
		if (!output_can_replace(output))
			return false;
		set_since(since);
	} else if (!output_begin(output, asked.append, since)) {
		return false;
	}
	if (*since)
		launch_set(PREFIX "SINCE", since);
	return true;
}

static bool prepare_program(const char *path)
{
	const char *arguments = getenv(PREFIX "ARGUMENTS");

	if (!prepare())
		return false;
	if (arguments && *arguments)
		prototypes_hand_over(path, arguments);
	return true;
}

/* What the environment may leave out. */
static const char *output_or(const char *output, const char *usual)
{
	return output && *output ? output : usual;
}

/* Lines are written by this command. */
static int trace_running(void)
{
	const char *arguments = getenv(PREFIX "ARGUMENTS");
	const char *output = getenv("WHOCALLME_OUTPUT");

	output_is_of(asked.pid);
	if (asked.stop)
		return running_stop(asked.pid, asked.flight);
	if (asked.has_calls)
		return running_flight_start(asked.pid, getenv("WHOCALLME_FLIGHT"));
	if (asked.flight)
		return running_flight(asked.pid);
	if (arguments && *arguments)
		running_prototypes(prototypes_of_process(asked.pid, arguments));
	if (writes_lines())
		return running_lines(asked.pid, output, asked.append);
	if (strcmp(getenv("WHOCALLME_TRACE"), "record") == 0)
		return prepare() ? running_record(asked.pid, output_or(output, "uftrace.data"),
						  replaces()) :
				   EXIT_NOT_OURS;
	output = output_or(output, "whocallme.dot");
	return running_is_file(output) && prepare() ? running_graph(asked.pid, output) :
						      EXIT_NOT_OURS;
}

static int cmd_trace(int argc, char *argv[])
{
	int status, program = options_read(&command_trace, argc, argv, apply, NULL, &status);
	const char *wrong;

	if (program == 0)
		return status;
	if (asked.pid && program < argc)
		return options_refuse("it traces process %ld, or a PROGRAM", asked.pid);
	if (!asked.pid && !asked.stop && program == argc)
		return options_refuse("it needs a PROGRAM");
	finish_options();
	wrong = conflict();
	if (wrong)
		return options_refuse("%s", wrong);
	if (asked.pid)
		return trace_running();
	return launch(argv + program, &(struct launch){
					      .library = "libwhocallme.so.0",
					      .variable = "WHOCALLME_LIBRARY",
					      .with = waits() ? "an agent" : "a trace",
					      .if_static = untraceable_static(waits()),
					      .refuses = refuses,
					      .prepare = prepare_program });
}

static const struct command_option options[] = {
	{ 'p', "pid", .value = "PID", .wants = "the number of a process",
	  .text = "not a PROGRAM, but a process that runs, until Ctrl-C or its end; it needs "
		  "an agent, as by --agent" },
	{ OPTION_AGENT, "agent",
	  .text = "PROGRAM has an agent, for --pid and whocallme stack; it is not traced before "
		  "those ask, unless a kind of trace is given" },
	{ OPTION_STOP, "stop", .text = "end the trace of PID; with --flight, that" },
	{ OPTION_LOG, "log", .value = "FILE", .is_optional = true, .takes = TAKES_FILE,
	  .text = "a line a call, indented, to stderr or FILE (default)" },
	{ OPTION_PAIRS, "pairs", .value = "FILE", .is_optional = true,
	  .takes = TAKES_FILE, .text = "a line a call, with the function's caller" },
	{ OPTION_ADDRESSES, "addresses", .value = "FILE", .is_optional = true,
	  .takes = TAKES_FILE, .text = "a line an event, E or X and the address" },
	{ OPTION_RECORD, "record", .value = "DIR", .takes = TAKES_DIRECTORY,
	  .text = "into a recording, for whocallme replay or uftrace" },
	{ OPTION_GRAPH, "graph", .value = "FILE", .takes = TAKES_FILE,
	  .text = "as a graph of who called whom, for dot; in FILE and DIR, %p is the "
		  "process" },
	{ 'a', "append",
	  .text = "lines go behind what is in FILE, which else is begun anew" },
	{ 'e', "exits", .text = "lines for the ends of calls, too, with their time" },
	{ OPTION_TIME, "time", .value = "HOW", .takes = TAKES_WORD, .words = option_times,
	  .text = "the times of --log and --flight: relative, nanoseconds since the trace began "
		  "(default); absolute, the time of day in UTC; or delta, nanoseconds since the "
		  "line before" },
	{ OPTION_NO_TIMES, "no-times", .text = "a graph of counts alone, which costs less" },
	{ OPTION_NO_SIGNALS, "no-signals",
	  .text = "no report of a crash, and no graph where a signal ends PROGRAM" },
	{ OPTION_FLIGHT, "flight", .value = "N", .is_optional = true,
	  .wants = "a number from 1 to 65536",
	  .text = "the last N calls of each thread, 64 if N is not given, are kept for the "
		  "report of a crash; with --pid, PID keeps N from now on, or, if N is not given, "
		  "what it keeps is written" },
	{ OPTION_NO_CARRY, "no-carry",
	  .text = "what PROGRAM runs in an environment that says nothing of the trace is "
		  "not traced" },
	{ 'f', "force",
	  .text = "though nothing in PROGRAM can be traced: what it loads or runs may; and "
		  "though a recording is in DIR, which is kept as DIR.old" },
	{ OPTION_LIBRARY_CALLS, "library-calls", .value = "GLOBS", .is_optional = true,
	  .text = "those of library functions, too, of these names or all, of any program; GLOBS "
		  "behind a ! leave out" },
	{ OPTION_FROM, "from", .value = "GLOBS",
	  .text = "where these modules call them, not PROGRAM itself" },
	{ 'A', "arguments", .value = "GLOBS", .is_optional = true,
	  .text = "what functions of these names, or all, are given, where debug data says it or "
		  "they are well-known ones of libraries, and what they give back; for --log and "
		  "--record" },
	{ OPTION_SYSTEM_CALLS, "system-calls", .value = "GLOBS", .is_optional = true,
	  .text = "those of the kernel, too, of these names or all, of any program; for --log, "
		  "--record and --graph; GLOBS behind a ! leave out; %file, %desc, %network, "
		  "%process, %memory, %signal and %ipc are classes, as strace(1) has them" },
	{ OPTION_NO_DATA, "no-data",
	  .text = "of what these are given in memory, strings and buffers, the addresses alone" },
	{ OPTION_PROBES, "probes", .value = "GLOBS", .is_optional = true,
	  .text = "static probes (USDT), too, of these names, PROVIDER:NAME, or all, of any "
		  "program; for --log, --record and --graph" },
	{ .text = "Which functions; GLOBS are patterns between commas:" },
	{ 'F', "functions", .value = "GLOBS", .text = "by name, mangled or not" },
	{ 'N', "not-functions", .value = "GLOBS", .text = "not those with these names" },
	{ 'M', "modules", .value = "GLOBS",
	  .text = "by the executable or library they are in" },
	{ OPTION_NOT_MODULES, "not-modules", .value = "GLOBS",
	  .text = "not those in these" },
	{ 'S', "sources", .value = "GLOBS",
	  .text = "by source file, where there is debug data" },
	{ OPTION_NOT_SOURCES, "not-sources", .value = "GLOBS",
	  .text = "not those in these source files" },
	{ 'k', "keep-callees", .text = "and all that those kept by their names call" },
	{ 'H', "hide-callees",
	  .text = "without what those dropped by their names call, system calls as well" },
	{ 'D', "depth", .value = "N", .wants = "a number from 1 on",
	  .text = "no deeper than N (the outermost is 1)" },
	{ 't', "time-filter", .value = "TIME",
	  .wants = "a time such as 100, 5us, 1ms or 2s",
	  .text = "none shorter than TIME: 100 (ns), 5us, 1ms, 2s" },
	{ 'T', "threads", .value = "GLOBS",
	  .text = "of threads with these names or numbers, system calls as well" },
	{ .name = "" },
};

const struct command command_trace = {
	.name = "trace",
	.operands = "[OPTION...] {-p PID | [--] PROGRAM [ARGUMENT...]}",
	.operand = "PROGRAM",
	.summary = "run a program and show its calls",
	.about = "Run a program built with -fpatchable-function-entry=5 or with\n"
		 "-finstrument-functions and have each of its calls.  The first costs "
		 "nothing until\n"
		 "it is traced.\n",
	.options = options,
	.notes = "Exit status: 127 PROGRAM was not found; 126 it cannot be run, or not "
		 "with\n"
		 "the library (it is static or set-user-ID); 125 it cannot be traced, or\n"
		 "the library is not to be had, or FILE or DIR cannot be; 2 usage; else that "
		 "of\n"
		 "PROGRAM.  With --pid, 125 the process has no agent or is not traced; 0 "
		 "done.\n",
	.takes = TAKES_PROGRAM,
	.run = cmd_trace,
};
