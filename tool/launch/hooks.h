/* SPDX-License-Identifier: MIT */
/* hooks.h - tells whether a program, or a library that it needs, has calls to be traced. */
#ifndef WCM_TOOL_HOOKS_H
#define WCM_TOOL_HOOKS_H

enum hooks {
	HOOKS_NONE,    /* nothing calls them, and there are no sleds */
	HOOKS_CALLED,  /* it calls them or has sleds, or a library that it needs */
	HOOKS_UNLISTED, /* it has sleds that no list tells of, which the library asks for */
	HOOKS_OWN,     /* it has hooks itself, not those of this library, and no sleds */
	HOOKS_LINKED,  /* it is linked with this library statically */
	HOOKS_UNKNOWN, /* a script, or a file that cannot be read */
};

/* What the program at PATH has; libraries that it loads when it runs are not seen. */
enum hooks hooks_find(const char *path);

#endif
