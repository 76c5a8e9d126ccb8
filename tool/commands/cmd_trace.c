/* SPDX-License-Identifier: MIT */
/* cmd_trace.c - `whocallme trace`: records each call of a program that it runs, or of a running
 * process.
 *
 * What is asked for is put into the environment: of the program, or, as words, of the request
 * to the agent of the process.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/ask.h"
#include "agent/find_agent.h"
#include "base/child.h"
#include "base/complain.h"
#include "base/duration.h"
#include "base/exit_status.h"
#include "commands/command.h"
#include "format/sled_code.h"
#include "launch/hooks.h"
#include "launch/launch.h"
#include "launch/output_path.h"
#include "prototypes/hand_over.h"
#include "recording/recording_data.h"
#include "recording/scratch.h"

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
	OPTION_NO_DATA, OPTION_PROBES, OPTION_TIME, OPTION_ARTICLE, OPTION_DEMANGLE, OPTION_SORT,
};

/* What was asked for that is more than a variable. */
static struct {
	uint64_t keys; /* the options that are given, by their places in the table */
	bool has_mode, has_modes, has_dash;
	bool has_calls; /* a number for the recorder */
	bool has_file;  /* a kind of trace has its own */
	const char *output; /* of --output */
	const char *sort;
	long pid; /* of a running process; 0: a PROGRAM is run */
} asked;

static uint64_t bit_of(int key)
{
	return (uint64_t)1 << (options_find(&command_trace, key) - command_trace.options);
}

static bool is_given(int key)
{
	return asked.keys & bit_of(key);
}

/* Lists of one kind add up; the first takes the place of what the environment says. */
static bool add_list(const char *variable, const char *globs, bool is_begun)
{
	char *both;

	if (!is_begun) {
		launch_set(variable, globs);
	} else if (asprintf(&both, "%s,%s", getenv(variable), globs) >= 0) {
		launch_set(variable, both);
		free(both);
	}
	return *globs;
}

static void set_output(const char *output)
{
	asked.has_dash |= output && strcmp(output, "-") == 0;
	if (output && *output)
		launch_set_path("WHOCALLME_OUTPUT", output);
	else
		unsetenv("WHOCALLME_OUTPUT");
}

static bool set_mode(const char *mode, const char *output)
{
	launch_set("WHOCALLME_TRACE", mode);
	asked.has_modes = asked.has_mode;
	asked.has_mode = true;
	asked.has_file |= output != NULL;
	set_output(output);
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

static bool is_size(const char *value)
{
	return is_depth(value) && atoi(value) <= 512;
}

/* Set what the option asks for.  False where its value makes no sense. */
static bool apply(void *to, int key, const char *value)
{
	const struct command_option *option = options_find(&command_trace, key);
	const bool is_begun = is_given(key);

	(void)to;
	asked.keys |= bit_of(key);
	if (key >= OPTION_LOG && key <= OPTION_GRAPH)
		return set_mode(option->sets, value);
	switch (key) {
	case 'p':
		return agent_read_pid(value, &asked.pid);
	case OPTION_FLIGHT:
		asked.has_calls = value;
		return launch_set_flight(value);
	case 't':
		return set_least(value);
	case 'o':
		asked.output = value;
		return *value;
	case OPTION_SORT:
		asked.sort = value;
		return words_are(report_keys, value);
	case 'a':
	case 'c':
	case 'f':
		return true; /* what these set depends on what there is */
	}
	if (option->value && strcmp(option->value, "GLOBS") == 0)
		return add_list(option->variable, value ? value : "*", is_begun);
	return launch_set_option(option, value) && (key != 'D' || is_depth(value)) &&
	       (key != 's' || is_size(value));
}

/* An order is one of the summary's rows. */
static bool has_summary(void)
{
	return is_given('c') || asked.sort;
}

/* Times count from when this trace begins, not one that this command is traced by. */
static void finish_options(void)
{
	const char *mode = getenv("WHOCALLME_TRACE");

	unsetenv(PREFIX "START");
	if (!asked.has_mode && (!mode || !*mode))
		launch_set("WHOCALLME_TRACE", is_given(OPTION_AGENT) ? "" : "log");
	if (has_summary())
		launch_set("WHOCALLME_TRACE", "record");
	if (asked.output)
		set_output(asked.output);
	if (is_given('k') && is_given('H'))
		launch_set(PREFIX "CALLEES", "keep,hide");
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

/* Whether the kind of trace is one of MODES, with spaces between. */
static bool is_mode(const char *modes)
{
	const char *mode = getenv("WHOCALLME_TRACE");

	return wcm__word_of(modes, mode, strlen(mode)) >= 0;
}

static bool writes_lines(void)
{
	return !is_mode("record graph");
}

/* Whether options say which functions are traced. */
static bool selects(void)
{
	bool is_any = is_given(OPTION_NOT_MODULES) || is_given(OPTION_NOT_SOURCES);

	for (const char *key = "FNMSTtDkH"; *key; key++)
		is_any |= is_given(*key);
	return is_any;
}

/* Why the options do not go together; NULL: they do. */
static const char *conflict(void)
{
	if (asked.has_modes)
		return "--log, --pairs, --addresses, --record and --graph are one at a "
		       "time";
	if (has_summary() && asked.has_mode)
		return "--summary takes the place of a kind of trace";
	if (asked.output && asked.has_file)
		return "--output and the kind of trace both name a FILE";
	if (asked.has_dash)
		return "- is no FILE or DIR: without =FILE lines go to standard error, and ./- is "
		       "a file of that name";
	if (is_given('e') && !is_mode("log pairs"))
		return "--exits is for --log and --pairs; the others have them anyway";
	if (is_given('a') && (!writes_lines() || !getenv("WHOCALLME_OUTPUT")))
		return "--append needs the FILE of --log, --pairs or --addresses";
	if (is_given(OPTION_NO_TIMES) && !is_mode("graph"))
		return "--no-times is for --graph";
	if (is_given(OPTION_TIME) && is_given(OPTION_FLIGHT) && asked.pid)
		return "--time is for --flight of a PROGRAM";
	if (is_given(OPTION_TIME) && !is_given(OPTION_FLIGHT) && !is_mode("log"))
		return "--time is for --log and --flight; of a recording, for whocallme replay";
	if (is_given(OPTION_ARTICLE) && !is_mode("log"))
		return "--article is for --log";
	if (is_given(OPTION_DEMANGLE) && !is_given(OPTION_FLIGHT) && !has_summary() &&
	    !is_mode("log"))
		return "--demangle is for --log, --summary and --flight";
	if (is_given('s') && !is_mode("log record"))
		return "--string-limit is for --log and --record";
	if (is_given('y') && !is_set(PREFIX "SYSTEM_CALLS"))
		return "--decode-fds is for --system-calls";
	if (waits() && selects())
		return "--agent alone traces nothing; which calls is said to trace --pid";
	if (asked.pid && (is_given(OPTION_AGENT) || is_given(OPTION_NO_SIGNALS) ||
			  is_given(OPTION_NO_CARRY)))
		return "--agent, --no-signals and --no-carry are for a PROGRAM";
	if (is_given(OPTION_STOP) && !asked.pid)
		return "--stop needs --pid";
	if (is_given('A') && !is_mode("log record"))
		return "--arguments is for --log and --record";
	if (is_set(PREFIX "LIBRARY_CALLERS") && !is_set(PREFIX "LIBRARY_CALLS"))
		return "--from is for --library-calls";
	if (is_set(PREFIX "SYSTEM_CALLS") && is_mode("pairs addresses"))
		return "--system-calls is for --log, --record and --graph";
	if (is_set(PREFIX "PROBES") && is_mode("pairs addresses"))
		return "--probes is for --log, --record and --graph";
	if (is_given(OPTION_NO_DATA) && !is_set(PREFIX "SYSTEM_CALLS"))
		return "--no-data is for --system-calls";
	if (asked.pid && (is_given(OPTION_STOP) || is_given(OPTION_FLIGHT)) && asked.has_mode)
		return "of a running process, --stop, --flight and a kind of trace are one at "
		       "a time";
	if (is_given(OPTION_STOP) && asked.has_calls)
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
	if (how->is_linked || is_given('f') || hooks == HOOKS_UNLISTED || waits() ||
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

	if (is_given('f'))
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
	if (has_summary() && asked.output && !output_can_write(asked.output))
		return false;
	if (!output || !*output || waits())
		return true;
	if (is_mode("record"))
		return output_can_record(output, replaces());
	if (!writes_lines()) {
		if (!output_can_replace(output))
			return false;
		set_since(since);
	} else if (!output_begin(output, is_given('a'), since)) {
		return false;
	}
	if (*since)
		launch_set(PREFIX "SINCE", since);
	return true;
}

/* What is written does not take the place of the program at PATH. */
static bool spares(const char *path)
{
	const char *output = has_summary() ? asked.output : getenv("WHOCALLME_OUTPUT");

	return !output || !*output || waits() || output_is_other(output, path);
}

static bool prepare_program(const char *path)
{
	const char *arguments = getenv(PREFIX "ARGUMENTS");

	if (!spares(path) || !prepare())
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
	char program[32];

	output_is_of(asked.pid);
	snprintf(program, sizeof(program), "/proc/%ld/exe", asked.pid);
	if (!spares(program))
		return EXIT_NOT_OURS;
	if (is_given(OPTION_STOP))
		return running_stop(asked.pid, is_given(OPTION_FLIGHT));
	if (asked.has_calls)
		return running_flight_start(asked.pid, getenv("WHOCALLME_FLIGHT"));
	if (is_given(OPTION_FLIGHT))
		return running_flight(asked.pid);
	if (arguments && *arguments)
		running_prototypes(prototypes_of_process(asked.pid, arguments));
	if (writes_lines() && (!output || !*output) && isatty(STDERR_FILENO))
		launch_set(PREFIX "ARTICLE", "yes");
	if (writes_lines())
		return running_lines(asked.pid, output, is_given('a'));
	if (is_mode("record"))
		return prepare() ? running_record(asked.pid, output_or(output, "uftrace.data"),
						  replaces()) :
				   EXIT_NOT_OURS;
	output = output_or(output, "whocallme.dot");
	return running_is_file(output) && prepare() ? running_graph(asked.pid, output) :
						      EXIT_NOT_OURS;
}

static int trace_program(char *argv[])
{
	return launch(argv, &(struct launch){ .library = "libwhocallme.so.0",
					      .variable = "WHOCALLME_LIBRARY",
					      .with = waits() ? "an agent" : "a trace",
					      .if_static = untraceable_static(waits()),
					      .refuses = refuses,
					      .prepare = prepare_program });
}

/* --summary: a recording in a scratch folder, and a report of it. */

static pid_t recorded; /* the child that is or asks for the program; 0: there is none */

static void hand_on(int signal)
{
	if (recorded > 0)
		kill(recorded, signal);
}

/* A terminal sends its signals to both: the child decides, and this command reports. */
static const struct {
	int signal;
	void (*handler)(int);
} outlived[] = {
	{ SIGINT, SIG_IGN }, { SIGQUIT, SIG_IGN }, { SIGTERM, hand_on }, { SIGHUP, hand_on },
};

enum { OUTLIVED = sizeof(outlived) / sizeof(*outlived) };

/* What this command had before the child began. */
struct signals {
	struct sigaction child, actions[OUTLIVED];
	sigset_t mask;
};

static void block_outlived(sigset_t *before)
{
	sigset_t set;

	sigemptyset(&set);
	for (int i = 0; i < OUTLIVED; i++)
		sigaddset(&set, outlived[i].signal);
	sigprocmask(SIG_BLOCK, &set, before);
}

/* They are blocked until the child is known. */
static void outlive_child(struct signals *before)
{
	child_expect(&before->child);
	block_outlived(&before->mask);
	for (int i = 0; i < OUTLIVED; i++)
		sigaction(outlived[i].signal,
			  &(struct sigaction){ .sa_handler = outlived[i].handler },
			  &before->actions[i]);
}

static void restore_signals(const struct signals *before)
{
	for (int i = 0; i < OUTLIVED; i++)
		sigaction(outlived[i].signal, &before->actions[i], NULL);
	sigaction(SIGCHLD, &before->child, NULL);
	sigprocmask(SIG_SETMASK, &before->mask, NULL);
}

/* The status as wait(2) has it, or -1.  No signal goes to the number of a process that is reaped,
 * for it may be another's then. */
static int wait_for_child(void)
{
	const pid_t child = recorded;
	siginfo_t ended;
	int status = -1;

	while (waitid(P_PID, (id_t)child, &ended, WEXITED | WNOWAIT) != 0 && errno == EINTR)
		;
	block_outlived(NULL);
	recorded = 0;
	return waitpid(child, &status, 0) == child ? status : -1;
}

/* ARGV is a program that this process is to become, or nothing.  Returns the status as wait(2) has
 * it, or -1. */
static int record_apart(char *argv[])
{
	struct signals before;
	int status = -1;

	outlive_child(&before);
	recorded = fork();
	if (recorded == 0) {
		restore_signals(&before);
		_exit(asked.pid ? trace_running() : trace_program(argv));
	}
	if (recorded < 0) {
		complain("no process for the program: %s", strerror(errno));
	} else {
		if (!asked.pid)
			output_is_of(recorded);
		sigprocmask(SIG_SETMASK, &before.mask, NULL);
		status = wait_for_child();
	}
	restore_signals(&before);
	return status;
}

/* What cannot be written is said here, and is not main()'s to say. */
static bool written(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return true;
	if (!asked.output)
		complain("standard error: %s", strerror(errno));
	__fpurge(stdout);
	clearerr(stdout);
	return false;
}

/* As this command would by itself, were it the program.  The program has left its core. */
static int die_of(int number)
{
	sigset_t set;

	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	signal(number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(number);
	return 128 + number;
}

/* What `whocallme report --summary` is told. */
static int report(char *dir)
{
	const char *names = getenv("WHOCALLME_DEMANGLE");
	char *words[11] = { (char *)"report", (char *)"--summary", (char *)"--no-pager" };
	char *output = asked.output ? output_expand(asked.output, "") : NULL;
	int status, count = 3;

	if (asked.output && !output) {
		complain_of_memory();
		return EXIT_PARTLY;
	}

	if (asked.sort) {
		words[count++] = (char *)"--sort";
		words[count++] = (char *)asked.sort;
	}
	if (names && *names) {
		words[count++] = (char *)"--demangle";
		words[count++] = (char *)names;
	}
	if (output) {
		words[count++] = (char *)"--output";
		words[count++] = output;
	} else {
		dup2(STDERR_FILENO, STDOUT_FILENO);
	}
	words[count++] = dir;
	recording_call("the recording");
	optind = 0; /* getopt_long(3) begins anew */
	status = command_report.run(count, words);
	free(output);
	return written() ? status : EXIT_PARTLY;
}

/* The recording is of the program's calls, whether or not the table can be written: the status is
 * the program's. */
static int status_of(int ended, bool is_shown)
{
	if (ended == -1 || (asked.pid && !is_shown && ended == 0))
		return EXIT_NOT_OURS;
	return WIFSIGNALED(ended) ? die_of(WTERMSIG(ended)) : WEXITSTATUS(ended);
}

static int summarise(char *argv[])
{
	char *folder = scratch_make(NULL), *dir = NULL;
	bool is_shown = true;
	int ended = -1;

	if (!folder)
		return EXIT_NOT_OURS;
	if (asprintf(&dir, "%s/recording", folder) >= 0) {
		launch_set("WHOCALLME_OUTPUT", dir);
		ended = record_apart(argv);
		if (access(dir, F_OK) == 0)
			is_shown = report(dir) == EXIT_DONE;
		free(dir);
	}
	scratch_remove(folder);
	return status_of(ended, is_shown);
}

static int cmd_trace(int argc, char *argv[])
{
	int status, program = options_read(&command_trace, argc, argv, apply, NULL, &status);
	const char *wrong;

	if (program == 0)
		return status;
	if (asked.pid && program < argc)
		return options_refuse("it traces process %ld, or a PROGRAM", asked.pid);
	if (!asked.pid && !is_given(OPTION_STOP) && program == argc)
		return options_refuse("it needs a PROGRAM");
	finish_options();
	wrong = conflict();
	if (wrong)
		return options_refuse("%s", wrong);
	if (has_summary())
		return summarise(argv + program);
	return asked.pid ? trace_running() : trace_program(argv + program);
}

#define SETTING(...)
#define RUN_OPTION(...)
#define TRACE_OPTION(...) OPTION_ROW(__VA_ARGS__)
#define TRACE_ALONE(...) OPTION_ALONE(__VA_ARGS__)
#define TRACE_HEADING(heading) { .text = heading },
static const struct command_option options[] = {
#include "format/settings.list"
	{ .name = "" },
};

const struct command command_trace = {
	.name = "trace",
	.operands = "[OPTION...] {-p PID | [--] PROGRAM [ARGUMENT...]}",
	.operand = "PROGRAM",
	.summary = "run a program, and show its calls",
	.purpose = FOR_CALLS,
	.about =
		"Show, record or count the calls of functions, of libraries and of the kernel "
		"that a program makes.",
	.options = options,
	.notes =
		"Functions are traced if they were built with -fpatchable-function-entry=5, "
		"which costs nothing until it is traced, or with -finstrument-functions.",
	.statuses =
		"125 PROGRAM cannot be traced, the library was not found, or FILE or DIR "
		"cannot be written; with --pid, the process has no agent or is not traced\n"
		"126 PROGRAM cannot be run, or is static or set-user-ID\n"
		"127 PROGRAM was not found\n"
		"2   usage\n"
		"otherwise, the status of PROGRAM; with --pid, 0",
	.examples =
		"whocallme trace --system-calls ./prog\n"
		"whocallme trace --record=calls ./prog && whocallme replay calls",
	.takes = TAKES_PROGRAM,
	.run = cmd_trace,
};
