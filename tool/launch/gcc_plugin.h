/* SPDX-License-Identifier: MIT */
/* gcc_plugin.h - finds the plugin that a gcc loads. */
#ifndef WCM_TOOL_GCC_PLUGIN_H
#define WCM_TOOL_GCC_PLUGIN_H

#include <limits.h>
#include <stdbool.h>

/* The gcc to run: ASKED, unless NULL; else what CC names, if that is one word and not this command;
 * else gcc. */
const char *gcc_asked(const char *asked);

/* Have this command know in what it runs that it is run by itself: CC may name a script that runs
 * it.  Then all has been done, and CC is not obeyed.  How often it has been. */
void gcc_mark(void);
int gcc_marks(void);

/* The first number of GCC's version; 0: it is no gcc.  Returns EXIT_DONE; else what to exit with,
 * after a line on stderr. */
int gcc_version(const char *gcc, int *major);

/* Whether GCC, which is no gcc, is another compiler, as clang: it tells a version. */
bool gcc_is_compiler(const char *gcc);

/* The path of the plugin for gcc MAJOR, if there is one. */
bool gcc_plugin_find(int major, char path[PATH_MAX]);

/* Say on stderr why there is none for GCC, of MAJOR.  Returns what to exit with. */
int gcc_plugin_missed(const char *gcc, int major);

#endif
