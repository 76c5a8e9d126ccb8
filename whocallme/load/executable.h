/* SPDX-License-Identifier: MIT */
/* executable.h - finds the file of the running executable. */
#ifndef WCM_LOAD_EXECUTABLE_H
#define WCM_LOAD_EXECUTABLE_H

#include "core/modules/modules.h"

/* The path of the executable MAP, the caller's to free; NULL: out of memory. */
char *wcm__executable_path(const struct wcm_module *map);

#endif
