/* SPDX-License-Identifier: MIT */
/* split.c - opens the half of a unit that is in a file of its own.
 *
 * libdw looks for it beside the file with the debug data, and where the compiler has put it.
 */
#include "debug/split.h"

#include <dwarf.h>
#include <stddef.h>
#include <stdint.h>

#include "modules/linked_file.h"

/* The file of the split half of UNIT; NULL: it has none. */
static const char *name_of(Dwarf_Die *unit)
{
	Dwarf_Attribute name;

	return dwarf_attr(unit, DW_AT_dwo_name, &name) ||
			       dwarf_attr(unit, DW_AT_GNU_dwo_name, &name)
		       ? dwarf_formstring(&name)
		       : NULL;
}

/* What is wrong with that file, called NAME. */
static const char *fault_of(Dwarf_Die *unit, const char *home, uid_t owner, const char *name)
{
	Dwarf_Attribute attribute;
	const char *folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
	const char *fault = linked_fault(home, owner, NULL, name);

	return fault || !folder ? fault : linked_fault(home, owner, folder, name);
}

bool split_open(Dwarf_Die *unit, const char *home, uid_t owner, const char **missing,
		const char **fault)
{
	Dwarf_Die split = { 0 };
	const char *name;
	uint8_t type;

	*missing = *fault = NULL;
	if (dwarf_cu_info(unit->cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) != 0 ||
	    type != DW_UT_skeleton || !(name = name_of(unit)))
		return false;
	*fault = fault_of(unit, home, owner, name);
	if (!*fault &&
	    dwarf_cu_info(unit->cu, NULL, NULL, NULL, &split, NULL, NULL, NULL) == 0 &&
	    split.addr) {
		*unit = split;
		return true;
	}
	*missing = name;
	return false;
}
