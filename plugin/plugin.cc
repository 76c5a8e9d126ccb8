// SPDX-License-Identifier: GPL-3.0-or-later
// plugin.cc - what gcc calls when it loads the plugin.
#include "plugin.h"

#include "diagnostic-core.h"
#include "plugin-version.h"

// gcc loads nothing whose licence has not been said.
extern "C" __attribute__((visibility("default"))) int plugin_is_GPL_compatible;
int plugin_is_GPL_compatible;

// A release of gcc changes its structures; a distribution's rebuild of it, with other
// options for its configure, does not.
static bool built_for(const plugin_gcc_version *running)
{
	return !strcmp(running->basever, gcc_version.basever) &&
	       !strcmp(running->devphase, gcc_version.devphase);
}

extern "C" __attribute__((visibility("default"))) int
plugin_init(plugin_name_args *arguments, plugin_gcc_version *running)
{
	if (!built_for(running)) {
		error("%s is built for gcc %s, and this is gcc %s", arguments->full_name,
		      gcc_version.basever, running->basever);
		return 0;
	}
	return 0;
}
