/* SPDX-License-Identifier: MIT */
/* cmd_run.c - whocallme run: run a program with the crash report preloaded. */
#include "command.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <whocallme.h>

#include "launch.h"

static const char help[] =
	"Usage: whocallme run [OPTION...] [--] PROGRAM [ARGUMENT...]\n"
	"Run a program that says what killed it, should it die of a signal.\n"
	"\n"
	"  -f, --file=PATTERN    the report goes to this new file as well: %p is\n"
	"                        the process, %e the program, %t the time, %% a %\n"
	"  -a, --append          or to what is there of it, behind other reports\n"
	"  -n, --no-stderr       and only there\n"
	"  -j, --json            the report is a line of JSON\n"
	"  -s, --sections=LIST   its parts: stack, registers, code, threads,\n"
	"                        modules, program, between commas, or all\n"
	"  -d, --deadline=SECONDS\n"
	"                        how long it may take (default: 5)\n"
	"  -q, --on-quit         SIGQUIT writes the stacks of all threads\n"
	"  -c, --chain-first     the program's own handlers come before the report\n"
	"  -C, --no-children     not what the program runs in its turn\n"
	"  -L, --no-lines        no source lines behind the report\n"
	"  -H, --helper=PATH     the whocallme that finds them (default: this one)\n"
	"  -h, --help            show this help\n"
	"\n"
	"Exit status: 127 PROGRAM was not found; 126 it cannot be run, or not with\n"
	"the report (it is static or set-user-ID); 125 the report itself is not to\n"
	"be had; 2 usage; else that of PROGRAM.\n";

static const struct option options[] = {
	{ "file", required_argument, NULL, 'f' },
	{ "append", no_argument, NULL, 'a' },
	{ "no-stderr", no_argument, NULL, 'n' },
	{ "json", no_argument, NULL, 'j' },
	{ "sections", required_argument, NULL, 's' },
	{ "deadline", required_argument, NULL, 'd' },
	{ "on-quit", no_argument, NULL, 'q' },
	{ "chain-first", no_argument, NULL, 'c' },
	{ "no-children", no_argument, NULL, 'C' },
	{ "no-lines", no_argument, NULL, 'L' },
	{ "helper", required_argument, NULL, 'H' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* The program may change its directory before it dies. */
static bool set_helper(const char *path)
{
	char whole[PATH_MAX];
	struct stat status;

	if (!realpath(path, whole) || stat(whole, &status) != 0)
		return false;
	if (!S_ISREG(status.st_mode)) {
		errno = S_ISDIR(status.st_mode) ? EISDIR : EACCES;
		return false;
	}
	if (access(whole, X_OK) != 0)
		return false;
	launch_set("WHOCALLME_HELPER", whole);
	return true;
}

static bool is_pattern(const char *pattern)
{
	for (const char *sign = pattern; (sign = strchr(sign, '%')); sign += 2)
		if (!sign[1] || !strchr("pet%", sign[1]))
			return false;
	return *pattern != '\0';
}

static bool is_list(const char *list)
{
	static const char *const sections[] = { "stack",   "registers", "code",
						"threads", "modules", "program",
						"all" };

	for (;; list++) {
		size_t length = strcspn(list, ","), i = 0;

		while (i < sizeof(sections) / sizeof(*sections) &&
		       (strlen(sections[i]) != length ||
			memcmp(sections[i], list, length) != 0))
			i++;
		if (i == sizeof(sections) / sizeof(*sections))
			return false;
		list += length;
		if (!*list)
			return true;
	}
}

static bool is_duration(const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	return strspn(text, "0123456789.") == strlen(text) && end > text &&
	       !*end && seconds >= 0.001 && seconds <= 1e6;
}

/* Set what the option asks for.  False where its value makes no sense. */
static bool apply(int option, const char *value)
{
	switch (option) {
	case 'f':
		if (is_pattern(value))
			launch_set_path("WHOCALLME_FILE", value);
		return is_pattern(value);
	case 's':
		launch_set("WHOCALLME_SECTIONS", value);
		return is_list(value);
	case 'd':
		launch_set("WHOCALLME_DEADLINE", value);
		return is_duration(value);
	case 'a':
		launch_set("WHOCALLME_APPEND", "yes");
		return true;
	case 'n':
		launch_set("WHOCALLME_STDERR", "no");
		return true;
	case 'j':
		launch_set("WHOCALLME_FORMAT", "json");
		return true;
	case 'q':
		launch_set("WHOCALLME_QUIT", "yes");
		return true;
	case 'c':
		launch_set("WHOCALLME_CHAIN", "first");
		return true;
	case 'L':
		launch_set("WHOCALLME_HELPER", "no");
		return true;
	case 'H':
		return set_helper(value);
	default:
		launch_set("WHOCALLME_CHILDREN", "no");
		return true;
	}
}

static bool is_set(const char *name, const char *value)
{
	const char *set = getenv(name);

	return set && strcmp(set, value) == 0;
}

static bool has_file(void)
{
	const char *file = getenv("WHOCALLME_FILE");

	return file && *file;
}

/* What is said where there is no file; NULL: there need not be one. */
static const char *lacks_file(void)
{
	if (is_set("WHOCALLME_STDERR", "no"))
		return "whocallme: --no-stderr needs --file\n";
	if (is_set("WHOCALLME_APPEND", "yes"))
		return "whocallme: --append needs --file\n";
	return NULL;
}

int cmd_run(int argc, char *argv[])
{
	static const struct launch_options wanted = {
		.command = "run",
		.help = help,
		.brief = "+f:anjs:d:qcCLH:h",
		.all = options,
		.apply = apply,
	};
	int status, program = launch_options(&wanted, argc, argv, &status);

	if (program == 0)
		return status;
	if (!has_file() && lacks_file()) {
		fputs(lacks_file(), stderr);
		return EXIT_USAGE;
	}
	return launch(argv + program, &(struct launch){
					      .library = "libwhocallme-preload.so",
					      .variable = "WHOCALLME_PRELOAD",
					      .with = "a crash report" });
}
