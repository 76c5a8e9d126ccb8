/* SPDX-License-Identifier: MIT */
/* linked_list.c (SAFE) - finds the module at an address in the dynamic linker's list (other
 * libcs).
 *
 * musl and glibc before 2.35 have no index: the list is followed from its beginning.
 */
#include "core/modules/linked.h"

void wcm__linked_prepare(void)
{
}

bool wcm__linked_find(struct wcm_module *module, uintptr_t address)
{
	enum { MOST_MODULES = 65536 };
	uintptr_t at = wcm__linked_first();
	struct link_map map;

	for (unsigned i = 0; i < MOST_MODULES && wcm__linked_next(&at, &map); i++)
		if (map.l_addr && map.l_addr <= address &&
		    wcm__module_describe_image(module, map.l_addr,
					       wcm__module_path(map.l_name)) &&
		    address >= module->lo && address < module->hi)
			return true;
	return false;
}

bool wcm__linked_find_unwind(struct wcm_unwind_table *table, uintptr_t pc,
			     const struct wcm_hold *hold)
{
	struct wcm_module module;

	(void)hold; /* what is linked with such a libc is told of no unloading */
	if (!wcm__linked_find(&module, pc))
		return false;
	*table = module.unwind;
	return true;
}

bool wcm__linked_is_told(const char *path)
{
	(void)path;
	return false;
}

bool wcm__linked_find_bounds(uintptr_t address, uintptr_t *lo, uintptr_t *hi)
{
	(void)address, (void)lo, (void)hi;
	return false;
}
