/* SPDX-License-Identifier: MIT */
/* debug_search.h - searches for the separate debug file of a module, and refuses wrong
 * ones.
 *
 * The folders are looked at here and not by dwfl_standard_find_debuginfo(3), which takes
 * the first file of the right name: it believes what other users have put beside a
 * program, waits for the writer of a named pipe, and says neither that a file is of another
 * build nor looks into the next folder then.  It asks the servers alone.
 */
#ifndef WCM_TOOL_DEBUG_SEARCH_H
#define WCM_TOOL_DEBUG_SEARCH_H

#include <elfutils/libdwfl.h>

#include "modules/build_id.h"

/* A file that is where a debug file would be and must not be used. */
struct debug_refused {
	char *path; /* the caller's to free */
	enum debug_reason {
		DEBUG_OTHER_BUILD,
		DEBUG_OTHER_SUM,  /* than that in the module, which has no build-id */
		DEBUG_TRUNCATED,
		DEBUG_NO_ELF,
		DEBUG_DISTRUSTED, /* WHY says it */
		DEBUG_UNREADABLE, /* ERROR says why */
	} reason;
	struct build_id id; /* of another build */
	const char *why;
	int error;
};

struct debug_search {
	const char *folders; /* with colons between */
	uid_t owner; /* of the module's own file */
	struct debug_refused refused; /* the first, if there is one; its path is NULL
				       * before */
	int server; /* the error of the servers, ENOENT: they have none; 0: not asked */
};

/* A descriptor of a file of the build WANTED, or -1: a debug file by preference,
 * else the program; in SEARCH's folders or from a server, for which CALLBACKS are.
 * *PATH is the caller's to free, or NULL where it has no name.  Only a file in a folder
 * is found by the first bytes of a build-id. */
int debug_search_by_id(struct debug_search *search, const Dwfl_Callbacks *callbacks,
		       const struct build_id *wanted, char **path);

/* The same of the debug file of MODULE, whose own file is at FILE, if it is there
 * still, by build-id and by LINK and SUM of its .gnu_debuglink, if that is not NULL. */
int debug_search_of(struct debug_search *search, Dwfl_Module *module, const char *file,
		    const char *link, GElf_Word sum, char **path);

#endif
