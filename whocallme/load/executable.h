/* SPDX-License-Identifier: MIT */
/* executable.h - finds the file of the running executable. */
#ifndef WCM_LOAD_EXECUTABLE_H
#define WCM_LOAD_EXECUTABLE_H

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "core/modules/module_origin.h"

/* The path of the executable MAP, the caller's to free; NULL: out of memory. */
char *wcm__executable_path(const struct wcm_module *map);

/* The same by its mapping, for a program that the dynamic linker was told to run. */
static inline char *wcm__mapped_path(const struct wcm_module *map)
{
	const char *given = (const char *)getauxval(AT_EXECFN);
	char path[WCM_MODULE_PATH];

	wcm__module_file_find(map, path);
	return strdup(path[0] == '/' ? path : given ? given : "[executable]");
}

#endif
