/* SPDX-License-Identifier: MIT */
/* main.c - the whocallme command: picks a subcommand. */
#include "command.h"

#include <stdio.h>
#include <string.h>

#include <whocallme.h>

static const char help[] =
	"Usage: whocallme COMMAND [OPTION...] [ARGUMENT...]\n"
	"Who called me? Functions of programs, and what killed them.\n"
	"\n"
	"Commands:\n"
	"  chrome [DIR]       a recording as a Chrome trace\n"
	"  flame [DIR]        a recording as folded stacks, for flame graphs\n"
	"  functions FILE...  list the functions of object files\n"
	"  graph [DIR | FILE] who called whom how often, as a drawing\n"
	"  group FILE...      count crash reports that are alike\n"
	"  replay [DIR]       the calls of a recording, in order\n"
	"  report [DIR]       the time and number of calls of each function\n"
	"  resolve            add source lines to addresses and reports\n"
	"  run PROGRAM        run a program; if it dies of a signal, say why\n"
	"  trace PROGRAM      run a program and show its calls\n"
	"\n"
	"Options:\n"
	"  -h, --help         show this help, or that of a COMMAND\n"
	"  -V, --version      show the version\n"
	"\n"
	"Exit status: 0 done; 1 an input or the output failed; 2 usage; of run and\n"
	"trace, that of the program.\n"
	"Manual: whocallme(1), whocallme(3).\n";

static const struct {
	const char *name;
	int (*run)(int argc, char *argv[]);
} commands[] = {
	{ "chrome", cmd_chrome },
	{ "flame", cmd_flame },
	{ "functions", cmd_functions },
	{ "graph", cmd_graph },
	{ "group", cmd_group },
	{ "replay", cmd_replay },
	{ "report", cmd_report },
	{ "resolve", cmd_resolve },
	{ "run", cmd_run },
	{ "trace", cmd_trace },
};

/* What was printed is not out before it is flushed: a full disk shows here. */
static int finish(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	perror("whocallme: standard output");
	return EXIT_PARTLY;
}

static int is_option(const char *argument, const char *brief,
		     const char *full)
{
	return strcmp(argument, brief) == 0 || strcmp(argument, full) == 0;
}

int main(int argc, char *argv[])
{
	if (argc < 2) {
		fputs(help, stderr);
		return EXIT_USAGE;
	}
	if (is_option(argv[1], "-h", "--help") || strcmp(argv[1], "help") == 0) {
		fputs(help, stdout);
		return finish(EXIT_DONE);
	}
	if (is_option(argv[1], "-V", "--version")) {
		printf("whocallme %s\n", wcm_version());
		return finish(EXIT_DONE);
	}
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return finish(commands[i].run(argc - 1, argv + 1));
	fprintf(stderr,
		"whocallme: \"%s\" is no command; see whocallme --help\n",
		argv[1]);
	return EXIT_USAGE;
}
