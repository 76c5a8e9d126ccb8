/* SPDX-License-Identifier: MIT */
/* type_codes.h - the codes of a function's types, as trace/values/prototype.h in the library has
 * them. */
#ifndef WCM_TOOL_TYPE_CODES_H
#define WCM_TOOL_TYPE_CODES_H

#include <elfutils/libdw.h>

#include "prototypes/enums.h"

enum { TYPE_CODES_MOST = 240 };

/* Write the codes of FUNCTION, an entry that has code, into CODES: of what it gives back, and of
 * each parameter. */
void type_codes_of(Dwarf_Die *function, struct enums *enums, char codes[static TYPE_CODES_MOST]);

#endif
