// SPDX-License-Identifier: GPL-3.0-or-later
// arguments.h - what the command line asks of the plugin: -fplugin-arg-inject-NAME=VALUE.
#ifndef WCM_ARGUMENTS_H
#define WCM_ARGUMENTS_H

struct plugin_name_args;
struct wcm_mode;

struct wcm_arguments {
	const wcm_mode *mode;
	const char *rules; // the path of the file, or NULL
	const char *provider; // of probes, or NULL
	bool inlined;      // calls that are inlined are traced, too
	bool warns;        // of rules that match nothing
};

// Returns whether all is right; what is not has been said, as errors.
bool wcm_read_arguments(const plugin_name_args *given, wcm_arguments *arguments);

#endif
