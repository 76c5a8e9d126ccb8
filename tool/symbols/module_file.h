/* SPDX-License-Identifier: MIT */
/* module_file.h - the functions of a recorded module, from the module's own file. */
#ifndef WCM_TOOL_MODULE_FILE_H
#define WCM_TOOL_MODULE_FILE_H

#include "symbols/sym_file.h"

/* Take the functions of the object file at PATH.  False where they are not to be had. */
bool module_file_load(struct sym_file *file, const char *path);

/* Whether they are of a file with BUILD_ID, in hexadecimal or empty: not known. */
bool module_file_is(const struct sym_file *file, const char *build_id);

/* Where the file at PATH wants its first mapping: offsets count from there. */
uint64_t module_file_start(const char *path);

#endif
