/* SPDX-License-Identifier: MIT */
/* resolver.c (SAFE) - finds the resolver's program and makes its environment.
 *
 * The resolver is a program like any other, started by one that may be broken.  Its
 * environment is made from nothing, so that it reads files by their whole names, in no
 * language, and finds its libraries as it was linked.  It is told of debuginfod's
 * servers, and where to keep what they send, only if the program asks for them.
 */
#include "lines/resolver.h"

#include <stddef.h>
#include <string.h>

#include "core/os/auxv.h"
#include "core/os/environment.h"
#include "core/os/file.h"
#include "format/settings.h"

/* For a resolver that is a script. */
static const char path_variable[] = "PATH=/usr/local/bin:/usr/bin:/bin";

/* Of servers.  What ends in an underscore is the beginning of names. */
static const char *const wanted[] = {
	"DEBUGINFOD_", "HOME",        "XDG_CACHE_HOME", "SSL_CERT_",
	"http_proxy",  "https_proxy", "all_proxy",      "no_proxy",
	"HTTPS_PROXY", "ALL_PROXY",   "NO_PROXY",
};
enum { WANTED = sizeof(wanted) / sizeof(*wanted) };

static bool is_wanted(const char *variable)
{
	for (int i = 0; i < WANTED; i++) {
		size_t length = strlen(wanted[i]), same = 0;

		while (same < length && variable[same] == wanted[i][same])
			same++;
		if (same == length &&
		    (wanted[i][length - 1] == '_' || variable[same] == '='))
			return true;
	}
	return false;
}

/* What does not fit is left out. */
static void make_environment(struct wcm_resolver_plan *plan,
			     enum wcm_debug_data debug_data)
{
	const bool servers = debug_data == WCM_DEBUG_DATA_SERVERS &&
			     wcm__environment("DEBUGINFOD_URLS");
	size_t count = 0, used = 0;

	plan->environment[count++] = path_variable;
	for (char **each = environ; servers && each && *each; each++) {
		size_t size;

		if (count == WCM_RESOLVER_VARIABLES || !is_wanted(*each))
			continue;
		size = strlen(*each) + 1;
		if (size > sizeof(plan->bytes) - used)
			continue;
		plan->environment[count++] = memcpy(plan->bytes + used, *each,
						    size);
		used += size;
	}
	plan->environment[count] = NULL;
}

/* The present directory and a slash, in front of what is relative.  Returns their
 * length. */
static size_t put_directory(char *path)
{
	long size = wcm__getcwd(path, WCM_RESOLVER_PATH);

	/* With its zero byte; one that cannot be reached has no slash. */
	if (size <= 1 || path[0] != '/')
		return 0;
	path[size - 1] = '/';
	return (size_t)size;
}

/* Note the file at PATH. */
static bool note_path(struct wcm_resolver_plan *plan, const char *path)
{
	size_t length = strlen(path), before = 0;

	if (path[0] != '/')
		before = put_directory(plan->path);
	if (length == 0 || length >= sizeof(plan->path) - before)
		return false;
	memcpy(plan->path + before, path, length + 1);
	plan->file = wcm__spawn_file(plan->path, &plan->entry);
	return true;
}

static bool is_no(const char *value)
{
	return strlen(value) == 2 && memcmp(value, "no", 2) == 0;
}

static const char *noted;

void wcm__resolver_note(const char *helper)
{
	noted = helper;
}

bool wcm__resolver_plan_init(struct wcm_resolver_plan *plan, const char *path,
			     enum wcm_debug_data debug_data)
{
	const char *asked = wcm__setting(NULL, WCM_SET_HELPER);
	const bool given = path;

	plan->wanted = false;
	if (wcm__auxv(AT_SECURE))
		return true;
	if (!asked)
		asked = noted;
	if (!path && asked && is_no(asked))
		return true;
	/* Where what is asked for cannot be, the default is no answer to it. */
	if (!path)
		path = asked ? asked : RESOLVER;
	plan->wanted = note_path(plan, path);
	make_environment(plan, debug_data); /* over the entry */
	return plan->wanted || !given;
}

int wcm__resolver_start(const struct wcm_resolver_plan *plan, bool source,
			struct wcm_spawned *spawned,
			struct wcm_spawn_stacks *stacks)
{
	const char *const arguments[] = { "whocallme", "resolve", "--serve",
					  source ? "--source" : NULL, NULL };

	return wcm__spawn(spawned, stacks, WCM_ERRORS_NOWHERE, &plan->file,
			  arguments, plan->environment);
}

int wcm__resolver_start_loudly(const struct wcm_resolver_plan *plan,
			       struct wcm_spawned *spawned,
			       struct wcm_spawn_stacks *stacks)
{
	const char *const arguments[] = { "whocallme", "resolve", "--serve",
					  NULL };

	return wcm__spawn(spawned, stacks, WCM_ERRORS_SOCKET, &plan->file,
			  arguments, plan->environment);
}
