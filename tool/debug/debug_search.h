/* SPDX-License-Identifier: MIT */
/* debug_search.h - which separate debug files are there? */
#ifndef WCM_TOOL_DEBUG_SEARCH_H
#define WCM_TOOL_DEBUG_SEARCH_H

#include <elfutils/libdwfl.h>

#include "debug/build_id.h"

/* A file that is where a debug file would be and must not be used. */
struct debug_mismatch {
	char *path;         /* the caller's to free */
	struct build_id id;
	bool by_sum;        /* not the build-id, which the module has not, speaks
			     * against it */
};

/* A descriptor of a file of the build WANTED, or -1: a debug file by preference,
 * else the program; in FOLDERS or from a server.  *PATH is the caller's to free,
 * or NULL where it has no name.  Only a file in FOLDERS is found by the first bytes
 * of a build-id.  MISMATCH->path, NULL before, is one of another build there. */
int debug_search_by_id(const Dwfl_Callbacks *callbacks, const char *folders,
		       const struct build_id *wanted, char **path,
		       struct debug_mismatch *mismatch);

/* Whether there is one for MODULE. */
bool debug_search_mismatch(Dwfl_Module *module, const char *folders,
			   struct debug_mismatch *mismatch);

#endif
