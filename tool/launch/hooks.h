/* SPDX-License-Identifier: MIT */
/* hooks.h - tells whether a program, or a library that it needs, calls hooks. */
#ifndef WCM_TOOL_HOOKS_H
#define WCM_TOOL_HOOKS_H

enum hooks {
	HOOKS_NONE,    /* nothing calls them */
	HOOKS_CALLED,  /* it does, or a library that it needs */
	HOOKS_OWN,     /* and it has them itself, not those of this library */
	HOOKS_LINKED,  /* it is linked with this library statically */
	HOOKS_UNKNOWN, /* a script, or a file that cannot be read */
};

/* What the program at PATH has; libraries that it loads when it runs are not seen. */
enum hooks hooks_find(const char *path);

#endif
