/* SPDX-License-Identifier: MIT */
/* cmd_stack.c - whocallme stack: what every thread of a running process does. */
#include "commands/command.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/ask.h"
#include "agent/find_agent.h"
#include "base/complain.h"
#include "base/exit_status.h"
#include "format/agent_protocol.h"
#include "reports/filter.h"
#include "resolve/frame_lines.h"

enum { MOST_BINARIES = 64 };

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
	binaries_free(resolver.binaries);
	return status;
}

/* What is read from: the pipe, or, of another user's process, a copy of what it says, which is
 * escaped. */
static int open_input(const struct options *options, const struct agent_answer *answer)
{
	int copy;

	if (!agent_is_of_another(answer)) {
		fcntl(answer->output, F_SETFL, 0); /* wait for what comes */
		return answer->output;
	}
	copy = memfd_create("stacks", MFD_CLOEXEC);
	if (copy < 0 || !agent_follow(options->pid, answer, copy) ||
	    lseek(copy, 0, SEEK_SET) != 0)
		return -1;
	return copy;
}

static int write_stacks(const struct options *options, const struct agent_answer *answer)
{
	int input;

	if (options->has_no_lines)
		return agent_follow(options->pid, answer, STDOUT_FILENO) ? EXIT_DONE :
									   EXIT_PARTLY;
	input = open_input(options, answer);
	if (input < 0 || dup2(input, STDIN_FILENO) < 0) {
		complain("standard input: %s", strerror(errno));
		return EXIT_PARTLY;
	}
	return write_with_lines();
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
	  .text = "the process; it needs an agent: WHOCALLME_AGENT=yes in its environment" },
	{ 'L', "no-lines", .text = "no source lines" },
	{ .name = "" },
};

const struct command command_stack = {
	.name = "stack",
	.operands = "[OPTION...] -p PID",
	.operand = "",
	.summary = "show what each thread of a process does",
	.about = "Show the stacks of all threads of a running process, with source lines.  The\n"
		 "process goes on; system calls that a signal interrupts may be.\n",
	.options = options,
	.notes = "Exit status: 0 done; 1 the process has no agent, or the output failed; 2 "
		 "usage.\n",
	.run = cmd_stack,
};
