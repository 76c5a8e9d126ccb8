/* SPDX-License-Identifier: MIT */
/* split.h - opens the half of a unit that is in a file of its own (DWARF 5, 7.3.2). */
#ifndef WCM_TOOL_SPLIT_H
#define WCM_TOOL_SPLIT_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "modules/split_file.h"

/* Have UNIT, a unit's first entry, be that of its other half, if that is in another file and there;
 * false: it stays.  *WHY, the caller's to free, says which file was not found or not used, and
 * why, or is NULL. */
bool split_open(Dwarf_Die *unit, struct split_home *home, char **why);

#endif
