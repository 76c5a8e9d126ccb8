/* SPDX-License-Identifier: MIT */
/* split.c - opens the half of a unit that is in a file of its own. */
#include "debug/split.h"

#include <dwarf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "modules/module_files.h"

/* The file of the split half of UNIT; NULL: it has none. */
static const char *name_of(Dwarf_Die *unit)
{
	Dwarf_Attribute name;

	return dwarf_attr(unit, DW_AT_dwo_name, &name) ||
			       dwarf_attr(unit, DW_AT_GNU_dwo_name, &name)
		       ? dwarf_formstring(&name)
		       : NULL;
}

/* libdw looks for it, and comes upon what is offered. */
static bool take_half(Dwarf_Die *unit, struct split_home *home,
		      const struct split_wanted *wanted, char **why)
{
	Dwarf_Die split = { 0 };
	char *path;
	const int fd = split_file_open(home, wanted, &path, why);
	bool taken;

	if (fd < 0)
		return false;
	offer_file(fd, wanted->name);
	taken = dwarf_cu_info(unit->cu, NULL, NULL, NULL, &split, NULL, NULL, NULL) == 0 &&
		split.addr;
	offer_file(-1, NULL);
	close(fd);
	if (taken)
		*unit = split;
	else if (asprintf(why, "%s: %s", path, dwarf_errmsg(-1)) < 0)
		*why = NULL;
	free(path);
	return taken;
}

bool split_open(Dwarf_Die *unit, struct split_home *home, char **why)
{
	struct split_wanted wanted = { .name = NULL };
	Dwarf_Attribute folder;
	char *reason = NULL;
	uint8_t type;

	*why = NULL;
	if (dwarf_cu_info(unit->cu, NULL, &type, NULL, NULL, &wanted.id, NULL, NULL) != 0 ||
	    type != DW_UT_skeleton || !(wanted.name = name_of(unit)))
		return false;
	wanted.folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &folder));
	if (take_half(unit, home, &wanted, &reason))
		return true;
	if (asprintf(why, "%s, with split debug data, is not used: %s", wanted.name,
		     reason ? reason : "out of memory") < 0)
		*why = NULL;
	free(reason);
	return false;
}
