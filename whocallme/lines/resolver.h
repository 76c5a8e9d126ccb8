/* SPDX-License-Identifier: MIT */
/* resolver.h (SAFE) - finds the resolver's program and makes its environment. */
#ifndef WCM_LINES_RESOLVER_H
#define WCM_LINES_RESOLVER_H

#include <stdbool.h>

#include "lines/spawn.h"

enum {
	WCM_RESOLVER_PATH = 4096, /* PATH_MAX */
	WCM_RESOLVER_VARIABLES = 64,
	WCM_RESOLVER_BYTES = 16384,
};

/* How the resolver is started, found out while the process is well: its path, which file
 * that is, and its environment.  It may be moved by nobody: it points into itself. */
struct wcm_resolver_plan {
	bool wanted;
	char path[WCM_RESOLVER_PATH];
	struct wcm_spawn_file file;
	const char *environment[WCM_RESOLVER_VARIABLES + 1]; /* NULL at the end */
	union {
		char bytes[WCM_RESOLVER_BYTES];
		struct wcm_path entry; /* while the file is noted */
	};
};

/* Where debug data may come from. */
enum wcm_debug_data {
	WCM_DEBUG_DATA_HERE,    /* this machine: a server may keep one waiting */
	WCM_DEBUG_DATA_SERVERS, /* and what DEBUGINFOD_URLS names */
};

/* WHOCALLME_HELPER, as the process began with it: it stays. */
void wcm__resolver_note(const char *helper);

/* Make PLAN: PATH, else WHOCALLME_HELPER as it is, or as it was noted ("no": not wanted; never read
 * where the program has privileges of its own, and then not wanted at all), else where
 * whocallme was installed.  A relative path is of the present directory.  False where
 * PATH is empty or too long. */
bool wcm__resolver_plan_init(struct wcm_resolver_plan *plan, const char *path,
			     enum wcm_debug_data debug_data);

/* Start "whocallme resolve --serve", with --source where SOURCE.  As
 * wcm__spawn(). */
int wcm__resolver_start(const struct wcm_resolver_plan *plan, bool source,
			struct wcm_spawned *spawned,
			struct wcm_spawn_stacks *stacks);

/* The same to hear what it complains of: it is asked nothing. */
int wcm__resolver_start_loudly(const struct wcm_resolver_plan *plan,
			       struct wcm_spawned *spawned,
			       struct wcm_spawn_stacks *stacks);

#endif
