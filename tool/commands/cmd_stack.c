/* SPDX-License-Identifier: MIT */
/* cmd_stack.c - `whocallme stack`: what each thread of a running process does. */
#include "commands/command.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "agent/ask.h"
#include "agent/find_agent.h"
#include "base/complain.h"
#include "base/exit_status.h"
#include "format/agent_protocol.h"
#include "reports/filter.h"
#include "resolve/frame_lines.h"

enum {
	MOST_BINARIES = 64,
	MOST_BYTES = 32 << 20,
	MOST_SECONDS = 300,
	MOST_CPU = 120, /* seconds */
};

struct options {
	long pid;
	bool has_no_lines;
};

static bool apply(void *to, int key, const char *value)
{
	struct options *options = to;

	if (key == 'p')
		return agent_read_pid(value, &options->pid);
	options->has_no_lines = true;
	return true;
}

/* What is read is what `whocallme resolve` would be given. */
static int write_with_lines(void)
{
	const struct filter_options options = { 0 };
	struct resolver resolver = { .demangle = true, .says_missing = true };
	char *stdin_alone[] = { NULL };
	int status;

	resolver.binaries = binaries_new(NULL, MOST_BINARIES);
	if (!resolver.binaries) {
		complain_of_memory();
		return EXIT_PARTLY;
	}
	status = filter(&resolver, &options, stdin_alone);
	locations_free(&resolver.locations);
	free(resolver.doubt);
	binaries_free(resolver.binaries);
	return status;
}

/* A copy of what the process says, within bounds; *IS_WHOLE: it is all of it. */
static int read_stacks(const struct options *options, const struct agent_answer *answer,
		       bool *is_whole)
{
	static const struct agent_bound bound = { MOST_BYTES, MOST_SECONDS };
	const int copy = memfd_create("stacks", MFD_CLOEXEC);

	*is_whole = copy >= 0 && agent_follow(options->pid, answer, copy, &bound);
	if (copy >= 0 && lseek(copy, 0, SEEK_SET) == 0 && dup2(copy, STDIN_FILENO) >= 0)
		return EXIT_DONE;
	complain("standard input: %s", strerror(errno));
	return EXIT_PARTLY;
}

static int write_plainly(void)
{
	static char bytes[1 << 16];
	ssize_t size;

	while ((size = read(STDIN_FILENO, bytes, sizeof(bytes))) > 0)
		fwrite(bytes, 1, (size_t)size, stdout);
	return size == 0 ? EXIT_DONE : EXIT_PARTLY;
}

static void say_too_long(int signal)
{
	static const char text[] = "whocallme stack: it takes more than two minutes of a CPU to "
				   "look up the lines, and the rest is left out; --no-lines leaves "
				   "out all\n";
	const ssize_t written = write(STDERR_FILENO, text, sizeof(text) - 1);

	(void)signal, (void)written;
	_exit(EXIT_PARTLY);
}

/* The process names the files that are read, and may have made them. */
static void bound_time(void)
{
	const struct sigaction action = { .sa_handler = say_too_long };
	struct rlimit limit;

	sigaction(SIGXCPU, &action, NULL);
	if (getrlimit(RLIMIT_CPU, &limit) != 0 || limit.rlim_cur <= MOST_CPU)
		return;
	limit.rlim_cur = MOST_CPU;
	setrlimit(RLIMIT_CPU, &limit);
}

static int write_stacks(const struct options *options, const struct agent_answer *answer)
{
	bool is_whole;
	int status = read_stacks(options, answer, &is_whole);

	if (status != EXIT_DONE)
		return status;
	if (!options->has_no_lines)
		bound_time();
	status = options->has_no_lines ? write_plainly() : write_with_lines();
	return is_whole ? status : EXIT_PARTLY;
}

static int cmd_stack(int argc, char *argv[])
{
	static char verb[] = WCM_AGENT_STACK;
	char *words[] = { verb, NULL };
	struct options asked = { 0 };
	struct agent_answer answer;
	int status, first = options_read(&command_stack, argc, argv, apply, &asked, &status);

	if (first == 0)
		return status;
	if (first < argc)
		return options_refuse("\"%s\" is one argument too many", argv[first]);
	if (!asked.pid)
		return options_refuse("it needs a --pid");
	if (!agent_ask(asked.pid, words, NULL, &answer))
		return EXIT_PARTLY;
	status = write_stacks(&asked, &answer);
	agent_leave(&answer);
	return status;
}

static const struct command_option options[] = {
	{ 'p', "pid", .value = "PID", .wants = "the number of a process",
	  .text = "show this process; it needs an agent: WHOCALLME_AGENT=yes in its "
		  "environment" },
	{ 'L', "no-lines", .text = "show no source lines" },
	{ .name = "" },
};

const struct command command_stack = {
	.name = "stack",
	.operands = "[OPTION...] -p PID",
	.operand = "",
	.summary = "show the stacks of a running process",
	.purpose = FOR_CRASHES,
	.about = "Show the stacks of all threads of a running process, with source lines.",
	.options = options,
	.notes = "The process goes on; a signal may interrupt its system calls once.",
	.statuses =
		"0 done\n"
		"1 the process has no agent, or the output failed\n"
		"2 usage",
	.examples =
		"WHOCALLME_AGENT=yes ./server &\n"
		"whocallme stack -p $!",
	.run = cmd_stack,
};
