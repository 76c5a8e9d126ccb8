/* SPDX-License-Identifier: MIT */
/* hooks.h - tells whether a program, or a library that it needs, has calls to be traced. */
#ifndef WCM_TOOL_HOOKS_H
#define WCM_TOOL_HOOKS_H

#include <stdbool.h>

#include "modules/build_id.h"

enum hooks {
	HOOKS_NONE,    /* nothing calls them, and there are no sleds */
	HOOKS_CALLED,  /* it calls them or has sleds, or a library that it needs */
	HOOKS_UNLISTED, /* it has sleds that no list tells of, which the library asks for */
	HOOKS_OWN,     /* it has hooks itself, not those of this library, and no sleds */
	HOOKS_LINKED,  /* it is linked with this library statically */
	HOOKS_UNSEEN, /* it has no section headers: hooks may be called, sleds are not found */
	HOOKS_UNKNOWN, /* a script, or a file that cannot be read */
};

/* What the program at PATH has; libraries that it loads when it runs are not seen. */
enum hooks hooks_find(const char *path);

/* Whether a function of FILE has a sled; *LISTED: the compiler lists one. */
bool hooks_have_sleds(const struct elf_file *file, bool *listed);

/* Call TELL with the path of each library that the program at PATH needs, and DATA. */
void hooks_visit_libraries(const char *path, void (*tell)(const char *path, void *data),
			   void *data);

#endif
