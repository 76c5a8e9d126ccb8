/* SPDX-License-Identifier: MIT */
/* list_module.h - lists the prototypes of a module's functions with sleds, by its debug data. */
#ifndef WCM_TOOL_LIST_MODULE_H
#define WCM_TOOL_LIST_MODULE_H

#include <stdio.h>

#include "prototypes/enums.h"
#include "prototypes/imports.h"

/* Write lines into LIST, as the library reads them: of the functions of the module at PATH that
 * have sleds or that are WANTED by name, and whose names are of GLOBS.  What is wrong with its
 * debug data is complained of. */
void prototypes_list(FILE *list, struct enums *enums, const char *path, const char *globs,
		     const struct wanted_names *wanted);

#endif
