/* SPDX-License-Identifier: MIT */
/* cmd_run.c - whocallme run: run a program with the crash report preloaded. */
#include "command.h"

#include <dlfcn.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <whocallme.h>

#include "program.h"

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

static _Noreturn void out_of_memory(void)
{
	fputs("whocallme: out of memory\n", stderr);
	exit(EXIT_NOT_OURS);
}

static void set(const char *name, const char *value)
{
	if (setenv(name, value, 1) != 0)
		out_of_memory();
}

/* The program may change its directory before it dies.  A percent sign in this
 * one stands for itself. */
static void set_file(const char *pattern)
{
	char here[PATH_MAX], made[3 * PATH_MAX], *to = made;

	if (pattern[0] == '/' || !getcwd(here, sizeof(here)) ||
	    strlen(pattern) >= PATH_MAX - 1) {
		set("WHOCALLME_FILE", pattern);
		return;
	}
	for (const char *from = here; *from; from++) {
		*to++ = *from;
		if (*from == '%')
			*to++ = '%';
	}
	*to++ = '/';
	strcpy(to, pattern);
	set("WHOCALLME_FILE", made);
}

/* The program may change its directory before it dies. */
static bool set_helper(const char *path)
{
	char whole[PATH_MAX];

	if (!realpath(path, whole) || access(whole, X_OK) != 0)
		return false;
	set("WHOCALLME_HELPER", whole);
	return true;
}

/* The one that runs the program knows the library that it runs it with. */
static void set_default_helper(void)
{
	const char *asked = getenv("WHOCALLME_HELPER");
	char ours[PATH_MAX];

	if ((!asked || !*asked) && realpath("/proc/self/exe", ours))
		set("WHOCALLME_HELPER", ours);
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
			set_file(value);
		return is_pattern(value);
	case 's':
		set("WHOCALLME_SECTIONS", value);
		return is_list(value);
	case 'd':
		set("WHOCALLME_DEADLINE", value);
		return is_duration(value);
	case 'a':
		set("WHOCALLME_APPEND", "yes");
		return true;
	case 'n':
		set("WHOCALLME_STDERR", "no");
		return true;
	case 'j':
		set("WHOCALLME_FORMAT", "json");
		return true;
	case 'q':
		set("WHOCALLME_QUIT", "yes");
		return true;
	case 'c':
		set("WHOCALLME_CHAIN", "first");
		return true;
	case 'L':
		set("WHOCALLME_HELPER", "no");
		return true;
	case 'H':
		return set_helper(value);
	default:
		set("WHOCALLME_CHILDREN", "no");
		return true;
	}
}

static const char *long_name(int brief)
{
	size_t i = 0;

	while (options[i].name && options[i].val != brief)
		i++;
	return options[i].name;
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

/* Set the variables.  Returns the index of PROGRAM in ARGV, or 0, *STATUS being
 * what to exit with. */
static int read_options(int argc, char *argv[], int *status)
{
	int option;

	*status = EXIT_USAGE;
	while ((option = getopt_long(argc, argv, "+f:anjs:d:qcCLH:h", options,
				     NULL)) != -1) {
		if (option == '?')
			return 0;
		if (option == 'h') {
			fputs(help, stdout);
			*status = EXIT_DONE;
			return 0;
		}
		if (!apply(option, optarg)) {
			fprintf(stderr, "whocallme: --%s takes no \"%s\"; see "
					"whocallme run --help\n",
				long_name(option), optarg);
			return 0;
		}
	}
	if (optind < argc && (has_file() || !lacks_file()))
		return optind;
	fputs(optind < argc ? lacks_file() : help, stderr);
	return 0;
}

/* The library lies beside the one that this command is linked with, in a build
 * tree as well, else where it was to be installed. */
static bool find_library(char path[PATH_MAX])
{
	static const char name[] = "libwhocallme-preload.so";
	const char *asked = getenv("WHOCALLME_PRELOAD"), *slash;
	char beside[PATH_MAX];
	Dl_info ours;

	if (asked && *asked)
		return realpath(asked, path) != NULL;
	if (dladdr((void *)(uintptr_t)wcm_version, &ours) &&
	    (slash = strrchr(ours.dli_fname, '/')) &&
	    snprintf(beside, sizeof(beside), "%.*s/%s",
		     (int)(slash - ours.dli_fname), ours.dli_fname, name) <
		    PATH_MAX &&
	    realpath(beside, path))
		return true;
	snprintf(beside, sizeof(beside), "%s/%s", LIBDIR, name);
	return realpath(beside, path) != NULL;
}

static void preload(const char *library)
{
	const char *others = getenv("LD_PRELOAD");
	char *list;

	if (asprintf(&list, "%s%s%s", library, others && *others ? ":" : "",
		     others ? others : "") < 0)
		out_of_memory();
	set("LD_PRELOAD", list);
	free(list);
}

static int complain(const char *program, const char *why, int status)
{
	fprintf(stderr, "whocallme: %s: %s\n", program, why);
	return status;
}

/* Become ARGV; returns the status where that failed. */
static int run(char *argv[], const char *library)
{
	char *path = program_find(argv[0]);
	const char *why;

	if (!path)
		return complain(argv[0], strerror(errno),
				errno == ENOENT || errno == ENOTDIR ?
					EXIT_NOT_FOUND :
					EXIT_NOT_RUN);
	why = program_refuses(path, library);
	if (why) {
		fprintf(stderr, "whocallme: %s cannot be run with a crash "
				"report: %s\n", path, why);
		free(path);
		return EXIT_NOT_RUN;
	}
	preload(library);
	set_default_helper();
	fflush(NULL);
	/* By its name, for a script without "#!" to be run by the shell. */
	execvp(argv[0], argv);
	free(path);
	return complain(argv[0], strerror(errno), EXIT_NOT_RUN);
}

int cmd_run(int argc, char *argv[])
{
	char library[PATH_MAX];
	int status, program = read_options(argc, argv, &status);

	if (program == 0)
		return status;
	if (!find_library(library))
		return complain("libwhocallme-preload.so",
				"not found; set WHOCALLME_PRELOAD to its path",
				EXIT_NOT_OURS);
	/* ld.so(8) takes both for separators. */
	if (strpbrk(library, ": "))
		return complain(library, "its path has a colon or a space in it",
				EXIT_NOT_OURS);
	return run(argv + program, library);
}
