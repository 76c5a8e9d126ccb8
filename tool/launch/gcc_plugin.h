/* SPDX-License-Identifier: MIT */
/* gcc_plugin.h - finds the plugin that a gcc loads. */
#ifndef WCM_TOOL_GCC_PLUGIN_H
#define WCM_TOOL_GCC_PLUGIN_H

#include <limits.h>
#include <stdbool.h>

/* The gcc to run: ASKED, unless NULL; else what CC names, if that is one word; else gcc. */
const char *gcc_asked(const char *asked);

/* The path of the plugin for GCC, which is asked for its version.  Returns EXIT_DONE; else what
 * to exit with, after a line on stderr. */
int gcc_plugin_find(const char *gcc, char path[PATH_MAX]);

#endif
