/* SPDX-License-Identifier: MIT */
/* main.c - the whocallme command: picks a subcommand. */
#include "commands/command.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <whocallme.h>

#include "base/complain.h"
#include "base/exit_status.h"

static const char about[] =
	"Usage: whocallme COMMAND [OPTION...] [ARGUMENT...]\n"
	"Show the callers, stacks, crashes and calls of programs.\n";

static const char notes[] =
	"\n"
	"Options:\n"
	"  -h, --help         show this help, or that of a COMMAND\n"
	"  -V, --version      show the version\n"
	"\n"
	"Exit status:\n"
	"  0 done\n"
	"  1 an input or the output failed\n"
	"  2 usage\n"
	"The status of run and trace is that of the program.\n"
	"\n"
	"Manual: whocallme(1), whocallme-COMMAND(1), whocallme(3).\n";

static int run_help(int argc, char *argv[]);

static const struct command command_help = {
	.name = "help",
	.operands = "[COMMAND]",
	.operand = "[COMMAND]",
	.summary = "show this help, or that of a command",
	.purpose = FOR_ITSELF,
	.about = "Show the commands, or the options of one.",
	.options = common_options + 2, /* none of its own */
	.statuses = "0 done\n2 usage",
	.examples = "whocallme help trace",
	.takes = TAKES_COMMAND,
	.run = run_help,
};

/* By purpose, and the most used first. */
const struct command *const commands[] = {
	&command_run,     &command_stack,      &command_resolve, &command_group,
	&command_trace,   &command_cc,         &command_plugin,  &command_replay,
	&command_report,  &command_graph,      &command_flame,   &command_chrome,
	&command_info,    &command_functions,  &command_help,    &command_completion,
	NULL,
};

static const char *const purposes[] = {
	[FOR_CRASHES] = "Crashes and stacks",
	[FOR_CALLS] = "Calls of a program",
	[FOR_RECORDINGS] = "Recordings of calls",
	[FOR_FILES] = "Files",
	[FOR_ITSELF] = "The command itself",
};

static void show_help(FILE *out)
{
	fputs(about, out);
	for (const struct command *const *command = commands; *command; command++) {
		int used;

		if (command == commands || command[-1]->purpose != (*command)->purpose)
			fprintf(out, "\n%s:\n", purposes[(*command)->purpose]);
		used = fprintf(out, "  %s %s", (*command)->name, (*command)->operand);
		fprintf(out, "%*s%s\n", used < 21 ? 21 - used : 1, "",
			(*command)->summary);
	}
	fputs(notes, out);
}

const struct command *command_find(const char *name)
{
	for (const struct command *const *command = commands; *command; command++)
		if (strcmp((*command)->name, name) == 0)
			return *command;
	return NULL;
}

static bool apply_none(void *to, int key, const char *value)
{
	(void)to, (void)key, (void)value;
	return false;
}

static int refuse_command(const char *name)
{
	complain("\"%s\" is no command; see whocallme --help", name);
	return EXIT_USAGE;
}

static int run_help(int argc, char *argv[])
{
	const struct command *command;
	int status, first = options_read(&command_help, argc, argv, apply_none, NULL,
					 &status);

	if (first == 0)
		return status;
	if (argc - first > 1)
		return options_refuse("\"%s\" is one command too many",
				      argv[first + 1]);
	if (first == argc) {
		show_help(stdout);
		return EXIT_DONE;
	}
	command = command_find(argv[first]);
	if (!command)
		return refuse_command(argv[first]);
	options_help(command);
	return EXIT_DONE;
}

/* What was printed is not out before it is flushed: a full disk shows here. */
static int finish(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	complain_begin();
	perror("standard output");
	return EXIT_PARTLY;
}

static bool is_option(const char *argument, const char *brief, const char *full)
{
	return strcmp(argument, brief) == 0 || strcmp(argument, full) == 0;
}

static int run(const struct command *command, int argc, char *argv[])
{
	complain_as(command->name);
	/* getopt_long(3) begins what it says with this. */
	argv[0] = (char *)complain_name();
	return finish(command->run(argc, argv));
}

/* A standard descriptor that is closed would be the next file's or socket's, and be written to.
 * What takes its place here fails to be read and written as a closed one does, and what is run
 * does not have it. */
static void reserve_standard(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/", O_PATH | O_CLOEXEC);
}

int main(int argc, char *argv[])
{
	const struct command *command;

	reserve_standard();
	if (argc < 2) {
		show_help(stderr);
		return EXIT_USAGE;
	}
	if (is_option(argv[1], "-h", "--help")) {
		show_help(stdout);
		return finish(EXIT_DONE);
	}
	if (is_option(argv[1], "-V", "--version")) {
		printf("whocallme %s\n", wcm_version());
		return finish(EXIT_DONE);
	}
	command = command_find(argv[1]);
	return command ? run(command, argc - 1, argv + 1) : refuse_command(argv[1]);
}
