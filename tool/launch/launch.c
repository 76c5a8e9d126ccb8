/* SPDX-License-Identifier: MIT */
/* launch.c - becomes another program, with one of our libraries preloaded. */
#include "launch/launch.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <whocallme.h>

#include "base/complain.h"
#include "base/escape.h"
#include "base/exit_status.h"
#include "format/agent_protocol.h"
#include "launch/program.h"
#include "launch/tree_file.h"

static _Noreturn void out_of_memory(void)
{
	complain_of_memory();
	exit(EXIT_NOT_OURS);
}

void launch_set(const char *name, const char *value)
{
	if (setenv(name, value, 1) != 0)
		out_of_memory();
}

bool launch_set_flight(const char *value)
{
	launch_set("WHOCALLME_FLIGHT", value ? value : "yes");
	return !value || (*value && strspn(value, "0123456789") == strlen(value) &&
			  strtoul(value, NULL, 10) - 1 < WCM_FLIGHT_MOST);
}

void launch_set_path(const char *name, const char *pattern)
{
	char here[PATH_MAX], made[3 * PATH_MAX], *to = made;

	if (pattern[0] == '/' || !getcwd(here, sizeof(here)) ||
	    strlen(pattern) >= PATH_MAX - 1) {
		launch_set(name, pattern);
		return;
	}
	for (const char *from = here; *from; from++) {
		*to++ = *from;
		if (*from == '%')
			*to++ = '%';
	}
	*to++ = '/';
	strcpy(to, pattern);
	launch_set(name, made);
}

/* The one that runs the program knows the library that it runs it with. */
static void set_default_helper(void)
{
	const char *asked = getenv("WHOCALLME_HELPER");
	char ours[PATH_MAX];

	if ((!asked || !*asked) && realpath("/proc/self/exe", ours))
		launch_set("WHOCALLME_HELPER", ours);
}

/* The library lies where launch_file() looks, unless the environment says otherwise. */
static bool find_library(const struct launch *how, char path[PATH_MAX])
{
	const char *asked = getenv(how->variable);
	char built[64];

	if (asked && *asked)
		return realpath(asked, path) != NULL;
	snprintf(built, sizeof(built), ".libs/%s", how->library);
	return launch_file(built, how->library, path);
}

static void preload(const char *library)
{
	const char *others = getenv("LD_PRELOAD");
	char *list;

	if (asprintf(&list, "%s%s%s", library, others && *others ? ":" : "",
		     others ? others : "") < 0)
		out_of_memory();
	launch_set("LD_PRELOAD", list);
	free(list);
}

/* gcc's address sanitizer ends a program in which another library comes first; of ours
 * it has nothing to fear.  What the program runs may have it where the program has
 * not. */
static void calm_sanitizer(void)
{
	static const char option[] = "verify_asan_link_order=0";
	const char *others = getenv("ASAN_OPTIONS");
	char *list;

	if (others && strstr(others, "verify_asan_link_order"))
		return;
	if (asprintf(&list, "%s%s%s", others ? others : "",
		     others && *others ? ":" : "", option) < 0)
		out_of_memory();
	launch_set("ASAN_OPTIONS", list);
	free(list);
}

static int refuse(const char *path, const char *with, const char *why, int status)
{
	complain("%s cannot be run with %s: %s", path, with, why);
	return status;
}

/* Say why PATH, which is there, did not become NAME. */
static int complain_of_start(const char *name, const char *path)
{
	const int error = errno;
	char *interpreter = program_bad_interpreter(path);

	if (interpreter)
		complain("%s: its interpreter %s: %s", name, interpreter, strerror(errno));
	else
		complain("%s: %s", name, strerror(error));
	free(interpreter);
	return EXIT_NOT_RUN;
}

/* Become ARGV, whose file is at STARTED: it is the program, or the dynamic linker that is told
 * to run it, without any privileges of its own. */
static int become(char *argv[], const char *started, struct launch *how,
		  const char *library)
{
	const char *told = program_of_linker(started, argv);
	const char *path = told && access(told, R_OK) == 0 ? told : started;
	int status = EXIT_NOT_RUN;
	const char *also = how->refuses ? how->refuses(how, path, &status) : NULL;
	const char *why = how->is_linked ? NULL : program_refuses(path, library);

	if (why == program_static && how->if_static)
		why = how->if_static;
	if (why == program_privileged && path != started)
		why = NULL;
	if (how->is_linked && program_gains_privileges(started))
		why = "it is set-user-ID or otherwise privileged, and obeys nobody";
	if (why)
		return refuse(path, how->with, why, EXIT_NOT_RUN);
	if (also)
		return refuse(path, how->with, also, status);
	if (how->prepare && !how->prepare(path))
		return EXIT_NOT_OURS;
	if (!how->is_linked) {
		preload(library);
		calm_sanitizer();
	}
	set_default_helper();
	fflush(NULL);
	/* By its name, for a script without "#!" to be run by the shell. */
	execvp(argv[0], argv);
	return complain_of_start(argv[0], started);
}

static int run(char *argv[], struct launch *how, const char *library)
{
	char *path = program_find(argv[0]);
	int status;

	if (!path) {
		status = errno == ENOENT || errno == ENOTDIR ? EXIT_NOT_FOUND :
							       EXIT_NOT_RUN;
		complain("%s: %s", argv[0], strerror(errno));
		return status;
	}
	status = become(argv, path, how, library);
	free(path);
	return status;
}

int launch_options(const struct command *command, int argc, char *argv[],
		   bool (*apply)(void *to, int key, const char *value), int *status)
{
	const int program = options_read(command, argc, argv, apply, NULL, status);

	if (program == argc)
		*status = options_refuse("it needs a PROGRAM");
	return program < argc ? program : 0;
}

int launch(char *argv[], struct launch *how)
{
	char library[PATH_MAX];

	if (!find_library(how, library)) {
		complain("%s: not found; set %s to its path", how->library,
			 how->variable);
		return EXIT_NOT_OURS;
	}
	/* ld.so(8) takes both for separators. */
	if (strpbrk(library, ": ")) {
		complain("%s: its path has a colon or a space in it", library);
		return EXIT_NOT_OURS;
	}
	return run(argv, how, library);
}
