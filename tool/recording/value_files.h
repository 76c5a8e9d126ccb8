/* SPDX-License-Identifier: MIT */
/* value_files.h - finds the kinds of a function's values by its address, in a recording. */
#ifndef WCM_TOOL_VALUE_FILES_H
#define WCM_TOOL_VALUE_FILES_H

#include "recording/value_specs.h"
#include "symbols/session.h"

/* Those of the modules of a recording, each read when it is first asked about.  All zero at
 * first. */
struct value_files {
	struct tree by_module;
	struct value_file_of **all;
	size_t count, room;
};

/* Of the function at OFFSET of MODULE, which is of MODULES: what its calls are given, or give BACK.
 * NULL: it is not known. */
const struct value_kinds *value_files_find(struct value_files *files, struct modules *modules,
					   const struct module *module, uint64_t offset, bool back);
void value_files_free(struct value_files *files);

#endif
