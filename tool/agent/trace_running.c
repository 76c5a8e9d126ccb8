/* SPDX-License-Identifier: MIT */
/* trace_running.c - `whocallme trace -p`: a trace of a process that runs.
 *
 * Lines come through a pipe and are written here: to a terminal, a pipe or a file that the
 * process itself could not open.  What the process writes itself, this command makes and hands
 * over.
 */
#include "agent/ask.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/find_agent.h"
#include "base/complain.h"
#include "base/exit_status.h"
#include "format/agent_protocol.h"
#include "launch/output_path.h"

enum { MOST_OF_GRAPH = 256 << 20 /* bytes */ };

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

/* What the answer to WORDS, with FILES, is goes to LINES, or to stderr where that is NULL. */
static int ask(long pid, char *const words[], const int *files, struct output_lines *lines,
	       bool *is_begun)
{
	struct agent_answer answer;
	bool done;

	*is_begun = agent_ask(pid, words, files, &answer);
	if (!*is_begun)
		return EXIT_NOT_OURS;
	done = (!lines || output_begin_lines(lines)) &&
	       agent_follow(pid, &answer, lines ? lines->fd : STDERR_FILENO, NULL);
	agent_leave(&answer);
	return done ? EXIT_DONE : EXIT_NOT_OURS;
}

static int prototypes = -1; /* a list that comes with the request, or -1 */

void running_prototypes(int fd)
{
	prototypes = fd;
}

/* FILES end with -1, or are NULL. */
static int trace(long pid, const int *files, struct output_lines *lines, bool *is_begun)
{
	char *words[WCM_AGENT_MOST_WORDS + 1];
	int all[WCM_AGENT_MOST_FILES + 1];
	size_t count = 0;

	*is_begun = false;
	for (; files && files[count] >= 0 && count < WCM_AGENT_MOST_FILES - 1; count++)
		all[count] = files[count];
	all[count++] = prototypes;
	all[count] = -1;
	if (collect(words, files != NULL))
		return ask(pid, words, all, lines, is_begun);
	complain("there are more variables WHOCALLME_TRACE... than a running process takes");
	return EXIT_NOT_OURS;
}

int running_flight(long pid)
{
	static char verb[] = WCM_AGENT_FLIGHT;
	char *words[] = { verb, NULL };
	bool is_begun;

	return ask(pid, words, NULL, NULL, &is_begun);
}

int running_flight_start(long pid, char *calls)
{
	static char verb[] = WCM_AGENT_FLIGHT_START;
	char *words[] = { verb, calls, NULL };
	bool is_begun;
	const int status = ask(pid, words, NULL, NULL, &is_begun);

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
	bool is_begun;

	if (!output || !*output)
		return trace(pid, NULL, NULL, &is_begun);
	if (output_find_lines(&lines, output, appends))
		status = trace(pid, NULL, &lines, &is_begun);
	return output_leave_lines(&lines) ? status : EXIT_NOT_OURS;
}

/* The file gets its name when the trace has ended, so that a refusal leaves the one before. */
int running_graph(long pid, const char *output)
{
	struct output_made made;
	int status = EXIT_NOT_OURS;
	bool is_begun = false, is_whole = false;

	if (output_make_file(&made, output)) {
		status = trace(pid, (const int[]){ made.handed, -1 }, NULL, &is_begun);
		is_whole = is_begun && agent_copy(made.handed, made.file, MOST_OF_GRAPH) &&
			   output_replace(&made, "}\n");
	}
	output_leave_made(&made, is_whole);
	return is_whole ? status : EXIT_NOT_OURS;
}

int running_record(long pid, const char *output, bool replace)
{
	struct output_made made;
	int status = EXIT_NOT_OURS;
	bool is_begun = false;

	if (!agent_shares_files(pid))
		return EXIT_NOT_OURS;
	if (output_make_recording(&made, output, replace, agent_user(pid)) &&
	    setenv("WHOCALLME_OUTPUT", made.apart ? made.apart : made.path, 1) == 0)
		status = trace(pid, (const int[]){ made.handed, -1 }, NULL, &is_begun);
	if (is_begun && !output_take_recording(&made))
		status = EXIT_NOT_OURS;
	output_leave_made(&made, is_begun);
	return status;
}

bool running_is_file(const char *output)
{
	struct stat found;

	if (stat(output, &found) != 0 || S_ISREG(found.st_mode) || S_ISDIR(found.st_mode))
		return true;
	complain("%s: it is no regular file, which a graph could take the place of", output);
	return false;
}

int running_stop(long pid, bool flight)
{
	static char trace[] = WCM_AGENT_STOP, recorder[] = WCM_AGENT_FLIGHT_STOP;
	char *words[] = { flight ? recorder : trace, NULL };
	struct agent_answer answer;

	if (!agent_ask(pid, words, NULL, &answer))
		return EXIT_NOT_OURS;
	agent_leave(&answer);
	return EXIT_DONE;
}
