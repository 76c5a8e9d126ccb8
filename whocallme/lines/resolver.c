/* SPDX-License-Identifier: MIT */
/* resolver.c - which program finds lines, and what does it get to see?
 *
 * The helper is a program like any other, started by one that may be broken, so it
 * sees no more of the environment than it needs: where its files, its libraries and
 * its servers are.  What was preloaded into the program is not for it.
 */
#include "lines/resolver.h"

#include <stddef.h>
#include <string.h>

#include "symbols/auxv.h"
#include "symbols/environment.h"
#include "syscall.h"

/* What ends in an underscore is the beginning of names. */
static const char *const wanted[] = {
	"PATH",	      "HOME",	     "TMPDIR",	    "LANG",
	"LANGUAGE",   "LC_",	     "XDG_CACHE_HOME", "LD_LIBRARY_PATH",
	"DEBUGINFOD_", "SSL_CERT_",  "http_proxy",  "https_proxy",
	"all_proxy",  "no_proxy",    "HTTPS_PROXY", "ALL_PROXY",
	"NO_PROXY",
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
static void copy_environment(struct wcm_resolver_plan *plan)
{
	size_t count = 0, used = 0;

	for (char **each = environ; each && *each; each++) {
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
	long size = wcm__syscall(SYS_getcwd, (long)path, WCM_RESOLVER_PATH, 0, 0,
				 0, 0);

	/* With its zero byte; one that cannot be reached has no slash. */
	if (size <= 1 || path[0] != '/')
		return 0;
	path[size - 1] = '/';
	return (size_t)size;
}

static bool copy_path(struct wcm_resolver_plan *plan, const char *path)
{
	size_t length = strlen(path), before = 0;

	if (path[0] != '/')
		before = put_directory(plan->path);
	if (length == 0 || length >= sizeof(plan->path) - before)
		return false;
	memcpy(plan->path + before, path, length + 1);
	return true;
}

static bool is_no(const char *value)
{
	return strlen(value) == 2 && memcmp(value, "no", 2) == 0;
}

bool wcm__resolver_plan_init(struct wcm_resolver_plan *plan, const char *path)
{
	const char *asked = wcm__environment("WHOCALLME_HELPER");

	plan->wanted = false;
	if (wcm__auxv(AT_SECURE))
		return true;
	copy_environment(plan);
	if (path) {
		plan->wanted = copy_path(plan, path);
		return plan->wanted;
	}
	if (asked && is_no(asked))
		return true;
	/* Where what is asked for cannot be, the default is no answer to it. */
	plan->wanted = copy_path(plan, asked && *asked ? asked : HELPER);
	return true;
}

int wcm__resolver_start(const struct wcm_resolver_plan *plan, bool source,
			struct wcm_spawned *spawned)
{
	const char *const arguments[] = { "whocallme", "resolve", "--serve",
					  source ? "--source" : NULL, NULL };

	return wcm__spawn(spawned, plan->path, arguments, plan->environment);
}
