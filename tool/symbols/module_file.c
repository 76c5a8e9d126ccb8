/* SPDX-License-Identifier: MIT */
/* module_file.c - the functions of a recorded module, from the module's own file.
 *
 * A library that was closed before the recording ended has no table of symbols in it,
 * and its file may be another one by now: a build-id tells, where one was recorded.
 */
#include "symbols/module_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <whocallme.h>

#include "modules/build_id.h"

uint64_t module_file_start(const char *path)
{
	enum { PAGE = 4096 };
	struct elf_file file;
	uint64_t first = UINT64_MAX;
	size_t count = 0;
	GElf_Phdr header;

	if (!elf_file_open(&file, path))
		return 0;
	if (elf_getphdrnum(file.elf, &count) != 0)
		count = 0;
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(file.elf, (int)i, &header) &&
		    header.p_type == PT_LOAD && header.p_vaddr < first)
			first = header.p_vaddr;
	elf_file_close(&file);
	return first == UINT64_MAX ? 0 : first & ~(uint64_t)(PAGE - 1);
}

bool module_file_is(const struct sym_file *file, const char *build_id)
{
	size_t size = 0;
	const uint8_t *id = wcm_functions_build_id(file->functions, &size);
	char digits[3];

	if (!*build_id)
		return true;
	for (size_t i = 0; i < size; i++, build_id += 2) {
		snprintf(digits, sizeof(digits), "%02x", id[i]);
		if (strncmp(build_id, digits, 2) != 0)
			return false;
	}
	return size > 0 && !*build_id;
}

static bool take_functions(struct sym_file *file, uint64_t start)
{
	size_t count = wcm_functions_count(file->functions);

	file->symbols = calloc(count + 1, sizeof(*file->symbols));
	if (!file->symbols)
		return false;
	for (size_t i = 0; i < count; i++) {
		struct wcm_function function = wcm_functions_get(file->functions, i);

		if (function.alias || function.address < start ||
		    function.flags & WCM_SYMBOL_PLT)
			continue;
		file->symbols[file->count++] = (struct symbol){
			.address = function.address - start, .size = function.size,
			.name = function.name, .type = 'T',
		};
	}
	return true;
}

bool module_file_load(struct sym_file *file, const char *path)
{
	*file = (struct sym_file){ 0 };
	if (wcm_functions_load(&file->functions, path) == WCM_OK &&
	    take_functions(file, module_file_start(path)))
		return true;
	sym_file_free(file);
	*file = (struct sym_file){ 0 };
	return false;
}
