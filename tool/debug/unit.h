/* SPDX-License-Identifier: MIT */
/* unit.h - finds the compilation unit of an address and what it says.
 *
 * Addresses are those of the file that the debug data is in.
 */
#ifndef WCM_TOOL_UNIT_H
#define WCM_TOOL_UNIT_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "debug/location.h"
#include "debug/span.h"
#include "modules/split_file.h"

struct units;

/* Of DWARF, which lives as long, as TEXT does: the addresses of code; and HOME, where split debug
 * data is. */
struct units *units_new(Dwarf *dwarf, const struct spans *text, struct split_home *home);
void units_free(struct units *units);

/* Add the functions at ADDRESS to LOCATIONS, innermost first.  False where debug data
 * knows nothing.  A function is NULL where only the line is known. */
bool units_find(struct units *units, uint64_t address, struct locations *locations);

/* Whether the linker's names of functions at the last address found are mangled, so
 * that the source's name tells less. */
bool units_mangled(const struct units *units);

/* Which file of split debug data an address needed that was not found or not used, and why;
 * NULL: none. */
const char *units_missing(const struct units *units);

#endif
