/* SPDX-License-Identifier: MIT */
/* terminal.c - what is read on a terminal: colours, a pager, and lines that fit its width. */
#include "base/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/duration.h"
#include "format/settings.h"

extern char **environ;

const char terminal_whens[] = "auto always never";

enum when { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER };

static enum when when;
static bool pages_not, has_colours;
static unsigned width;
static pid_t pager;

bool terminal_option(int key, const char *value, bool *makes_sense)
{
	int word = 0;

	if (key == TERMINAL_COLOR)
		word = wcm__word_of(terminal_whens, value, strlen(value));
	if (key == TERMINAL_COLOR && word >= 0)
		when = (enum when)word;
	pages_not |= key == TERMINAL_NO_PAGER;
	*makes_sense = word >= 0;
	return key == TERMINAL_COLOR || key == TERMINAL_NO_PAGER;
}

/* The pager has all there is when it finds the end of the pipe. */
static void wait_for_pager(void)
{
	int status;

	close(STDOUT_FILENO);
	while (waitpid(pager, &status, 0) < 0 && errno == EINTR)
		;
}

static void leave_pager(void)
{
	fflush(stdout);
	wait_for_pager();
}

/* As git has it: what interrupts this command ends it when its reader has left the pager, which
 * shows what there is; else the shell and the pager would both read the terminal. */
static void end_with_pager(int number)
{
	const int error = errno;

	wait_for_pager();
	signal(number, SIG_DFL);
	raise(number);
	errno = error;
}

static const int taken[] = { SIGINT, SIGHUP, SIGTERM, SIGQUIT };
enum { TAKEN = sizeof(taken) / sizeof(*taken) };

static void block_signals(sigset_t *before)
{
	sigset_t set;

	sigemptyset(&set);
	for (int i = 0; i < TAKEN; i++)
		sigaddset(&set, taken[i]);
	sigprocmask(SIG_BLOCK, &set, before);
}

/* A signal that is ignored stays so. */
static void take_signals(void)
{
	const struct sigaction ours = { .sa_handler = end_with_pager };
	struct sigaction before;

	for (int i = 0; i < TAKEN; i++)
		if (sigaction(taken[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(taken[i], &ours, NULL);
}

/* As git has it: a variable of its own, that of all programs, or less(1); "cat" and nothing are
 * none. */
static const char *pager_command(void)
{
	const char *command = getenv("WHOCALLME_PAGER");

	if (!command)
		command = getenv("PAGER");
	if (!command)
		command = "less";
	return *command && strcmp(command, "cat") != 0 ? command : NULL;
}

/* A shell reads COMMAND, which may have options, unless it is a word: then it is found or not.
 * Signals of the pager are not blocked but by MASK.  Returns the process, or 0. */
static pid_t start_pager(const char *command, int input, const sigset_t *mask)
{
	const bool is_word = !strpbrk(command, "|&;<>()$`\\\"' \t\n*?[#~=%");
	char *const word[] = { (char *)command, NULL };
	char *const shell[] = { (char *)"sh", (char *)"-c", (char *)command, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	pid_t child;
	int error;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attributes, mask);
	error = posix_spawnp(&child, is_word ? command : "sh", &actions, &attributes,
			     is_word ? word : shell, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return error ? 0 : child;
}

/* The end of the pager is that of the output. */
static void begin_pager(const char *command)
{
	sigset_t before;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return;
	setenv("LESS", "FRX", 0);
	fflush(stdout);
	/* A signal waits until the pager is known, and stdout is the one end of the pipe. */
	block_signals(&before);
	pager = start_pager(command, ends[0], &before);
	if (pager && dup2(ends[1], STDOUT_FILENO) >= 0) {
		take_signals();
		signal(SIGPIPE, SIG_DFL);
		atexit(leave_pager);
	}
	close(ends[0]);
	close(ends[1]);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static bool wants_colours(void)
{
	const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");

	if (when != WHEN_AUTO)
		return when == WHEN_ALWAYS;
	return width > 0 && (!none || !*none) && terminal && *terminal &&
	       strcmp(terminal, "dumb") != 0;
}

void terminal_begin(void)
{
	const char *command = pager_command();
	struct winsize size;

	if (isatty(STDOUT_FILENO)) {
		width = 80;
		if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
			width = size.ws_col;
	}
	has_colours = wants_colours();
	if (width > 0 && !pages_not && command)
		begin_pager(command);
}

unsigned terminal_width(void)
{
	return width;
}

void terminal_colour(enum colour colour)
{
	static const char *const codes[] = {
		[COLOUR_NONE] = "\033[0m", [COLOUR_BOLD] = "\033[1m", [COLOUR_DIM] = "\033[2m",
		[COLOUR_RED] = "\033[31m", [COLOUR_YELLOW] = "\033[33m",
	};

	if (has_colours)
		fputs_unlocked(codes[colour], stdout);
}

void terminal_duration(uint64_t nanoseconds)
{
	const uint64_t millisecond = 1000000, second = 1000 * millisecond;
	char text[DURATION_SIZE];

	if (nanoseconds >= millisecond)
		terminal_colour(nanoseconds >= second ? COLOUR_RED : COLOUR_YELLOW);
	fputs_unlocked(duration_text(nanoseconds, text), stdout);
	if (nanoseconds >= millisecond)
		terminal_colour(COLOUR_NONE);
}
