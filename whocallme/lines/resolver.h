/* SPDX-License-Identifier: MIT */
/* resolver.h - which program finds lines, and what does it get to see? */
#ifndef WCM_LINES_RESOLVER_H
#define WCM_LINES_RESOLVER_H

#include <stdbool.h>

#include "lines/spawn.h"

enum {
	WCM_RESOLVER_PATH = 4096, /* PATH_MAX */
	WCM_RESOLVER_VARIABLES = 64,
	WCM_RESOLVER_BYTES = 16384,
};

/* How the helper is started, found out while the process is well: its path, and
 * copies of the variables that it needs (no LD_PRELOAD, nothing of ours).  It may be
 * moved by nobody: it points into itself. */
struct wcm_resolver_plan {
	bool wanted;
	char path[WCM_RESOLVER_PATH];
	const char *environment[WCM_RESOLVER_VARIABLES + 1]; /* NULL at the end */
	char bytes[WCM_RESOLVER_BYTES];
};

/* Make PLAN: PATH, else WHOCALLME_HELPER ("no": not wanted; never read where the
 * program has privileges of its own, and then not wanted at all), else where
 * whocallme was installed.  A relative path is of the present directory.  False where
 * PATH is empty or too long. */
bool wcm__resolver_plan_init(struct wcm_resolver_plan *plan, const char *path);

/* Start "whocallme resolve --serve", with --source where SOURCE.  As
 * wcm__spawn(). */
int wcm__resolver_start(const struct wcm_resolver_plan *plan, bool source,
			struct wcm_spawned *spawned);

#endif
