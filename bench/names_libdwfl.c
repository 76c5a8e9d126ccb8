/* SPDX-License-Identifier: MIT */
/* names_libdwfl.c - elfutils' libdwfl, on a file. */
#include "names.h"

#include <elfutils/libdwfl.h>

static Dwfl *dwfl;
static Dwarf_Addr bias;

const bool names_can_find = true;

const char *names_find(uint64_t address)
{
	Dwfl_Module *module = dwfl_addrmodule(dwfl, address + bias);
	GElf_Off offset;
	GElf_Sym symbol;

	return module ? dwfl_module_addrinfo(module, address + bias, &offset,
					     &symbol, NULL, NULL, NULL)
		      : NULL;
}

bool names_load(const char *path, uint64_t first)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
	};
	Dwfl_Module *module;

	dwfl = dwfl_begin(&callbacks);
	if (!dwfl)
		return false;
	module = dwfl_report_offline(dwfl, path, path, -1);
	dwfl_report_end(dwfl, NULL, NULL);
	return module && dwfl_module_getelf(module, &bias) && names_find(first);
}
