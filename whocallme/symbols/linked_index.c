/* SPDX-License-Identifier: MIT */
/* linked_index.c - which module did the dynamic linker put at this address?
 *
 * _dl_find_object(3) says so without a lock.
 */
#include "symbols/linked.h"

#include <dlfcn.h>

#include "unwind/read.h"

bool wcm__linked_find(struct wcm_module *module, uintptr_t address)
{
	struct dl_find_object found;
	struct link_map map; /* copied: another thread may be unloading it */

	return _dl_find_object((void *)address, &found) == 0 &&
	       wcm__read_memory((uintptr_t)found.dlfo_link_map, &map,
				sizeof(map)) &&
	       wcm__module_describe_image(module, (uintptr_t)found.dlfo_map_start,
					  wcm__module_path(map.l_name)) &&
	       address >= module->lo && address < module->hi;
}

bool wcm__modules_find_place(uintptr_t address, uintptr_t *lo, uintptr_t *hi)
{
	struct dl_find_object found;

	if (_dl_find_object((void *)address, &found) != 0)
		return false;
	*lo = (uintptr_t)found.dlfo_map_start;
	*hi = (uintptr_t)found.dlfo_map_end;
	return true;
}

/* The loader knows .eh_frame_hdr itself. */
bool wcm__linked_find_unwind(struct wcm_unwind_table *table, uintptr_t pc)
{
	struct dl_find_object found;
	struct wcm_module module;

	if (_dl_find_object((void *)pc, &found) != 0)
		return false;
	if (found.dlfo_eh_frame) {
		*table = (struct wcm_unwind_table){
			.hdr = (uintptr_t)found.dlfo_eh_frame,
			.lo = (uintptr_t)found.dlfo_map_start,
			.hi = (uintptr_t)found.dlfo_map_end,
		};
		return true;
	}
	if (!wcm__linked_find(&module, pc))
		return false;
	*table = module.unwind;
	return true;
}
