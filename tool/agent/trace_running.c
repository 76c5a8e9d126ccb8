/* SPDX-License-Identifier: MIT */
/* trace_running.c - `whocallme trace -p`: a trace of a process that runs.
 *
 * Lines come through a pipe and are written here: to a terminal, a pipe or a file that the
 * process itself could not open.  A recording and a graph are the process's own files.
 */
#include "agent/trace_running.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/ask.h"
#include "agent/find_agent.h"
#include "base/complain.h"
#include "base/exit_status.h"
#include "format/agent_protocol.h"
#include "launch/output_path.h"

#define TRACE "WHOCALLME_TRACE"
#define OUTPUT "WHOCALLME_OUTPUT="

/* The words of a request: what the environment says of a trace. */
static bool collect(char *words[WCM_AGENT_MOST_WORDS + 1], bool has_output)
{
	static char verb[] = WCM_AGENT_TRACE;
	size_t count = 0;

	words[count++] = verb;
	for (char **each = environ; *each; each++) {
		if (strncmp(*each, TRACE, strlen(TRACE)) != 0 &&
		    !(has_output && strncmp(*each, OUTPUT, strlen(OUTPUT)) == 0))
			continue;
		if (count == WCM_AGENT_MOST_WORDS)
			return false;
		words[count++] = *each;
	}
	words[count] = NULL;
	return true;
}

/* What the answer to WORDS is goes to LINES, or to stderr where that is NULL. */
static int ask(long pid, char *const words[], struct output_lines *lines)
{
	struct agent_answer answer;
	bool done;

	if (!agent_ask(pid, words, &answer))
		return EXIT_NOT_OURS;
	done = (!lines || output_begin_lines(lines)) &&
	       agent_follow(pid, &answer, lines ? lines->fd : STDERR_FILENO);
	agent_leave(&answer);
	return done ? EXIT_DONE : EXIT_NOT_OURS;
}

static int trace(long pid, struct output_lines *lines, bool has_output)
{
	char *words[WCM_AGENT_MOST_WORDS + 1];

	if (collect(words, has_output))
		return ask(pid, words, lines);
	complain("there are more variables WHOCALLME_TRACE... than a running process takes");
	return EXIT_NOT_OURS;
}

int running_flight(long pid)
{
	static char verb[] = WCM_AGENT_FLIGHT;
	char *words[] = { verb, NULL };

	return ask(pid, words, NULL);
}

int running_flight_start(long pid, char *calls)
{
	static char verb[] = WCM_AGENT_FLIGHT_START;
	char *words[] = { verb, calls, NULL };
	const int status = ask(pid, words, NULL);

	if (status == EXIT_DONE)
		complain("process %ld keeps the last calls of each thread from now on; --flight "
			 "shows them, --flight --stop ends it", pid);
	return status;
}

/* A file is neither made nor emptied before the trace is on: a refusal leaves it as it was. */
int running_lines(long pid, const char *output, bool appends)
{
	struct output_lines lines;
	int status = EXIT_NOT_OURS;

	if (!output || !*output)
		return trace(pid, NULL, false);
	if (output_find_lines(&lines, output, appends))
		status = trace(pid, &lines, false);
	return output_leave_lines(&lines) ? status : EXIT_NOT_OURS;
}

int running_trace(long pid)
{
	return trace(pid, NULL, true);
}

bool running_files(long pid)
{
	const char *output = getenv("WHOCALLME_OUTPUT");
	struct stat found;

	if (!agent_shares_files(pid))
		return false;
	/* A name such as /dev/stdout is another file for each process. */
	if (output && stat(output, &found) == 0 && !S_ISREG(found.st_mode) &&
	    !S_ISDIR(found.st_mode)) {
		complain("%s: it is no regular file, and process %ld might not have it", output,
			 pid);
		return false;
	}
	return true;
}

int running_stop(long pid, bool flight)
{
	static char trace[] = WCM_AGENT_STOP, recorder[] = WCM_AGENT_FLIGHT_STOP;
	char *words[] = { flight ? recorder : trace, NULL };
	struct agent_answer answer;

	if (!agent_ask(pid, words, &answer))
		return EXIT_NOT_OURS;
	agent_leave(&answer);
	return EXIT_DONE;
}
