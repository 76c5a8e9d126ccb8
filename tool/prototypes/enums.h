/* SPDX-License-Identifier: MIT */
/* enums.h - the enumerations of a list of prototypes. */
#ifndef WCM_TOOL_ENUMS_H
#define WCM_TOOL_ENUMS_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdio.h>

enum { ENUMS_MOST = 1 << 16, ENUMS_NONE = ENUMS_MOST };

struct enums;

/* Those that the lines in LIST have, as long as the process is there.  NULL: no memory. */
struct enums *enums_new(FILE *list);

/* The number of the enumeration TYPE, from 0 on, whose line is written if it is new.  Without a
 * name of its own it has OTHER_NAME, or is given one where that is NULL.  ENUMS_NONE: it has no
 * enumerators that can be listed. */
unsigned enums_add(struct enums *enums, Dwarf_Die *type, const char *other_name);

/* Whether one of TYPE's enumerators is negative. */
bool enums_have_sign(Dwarf_Die *type);

#endif
