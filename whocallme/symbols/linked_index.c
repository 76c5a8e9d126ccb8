/* SPDX-License-Identifier: MIT */
/* linked_index.c - which module did the dynamic linker put at this address?
 *
 * _dl_find_object(3) says so without a lock.  Its tables are the linker's own, and of what
 * dlopen(3) has loaded they are on the heap.
 */
#include "symbols/linked.h"

#include <dlfcn.h>

#include "crash/attempt.h"
#include "unwind/read.h"

struct search {
	uintptr_t address;
	struct dl_find_object *found;
	bool is_found;
};

static void look(void *argument)
{
	struct search *search = argument;

	search->is_found = _dl_find_object((void *)search->address, search->found) == 0;
}

static bool find(uintptr_t address, struct dl_find_object *found)
{
	struct search search = { address, found, false };

	return wcm__attempt_within(look, &search) && search.is_found;
}

bool wcm__linked_find(struct wcm_module *module, uintptr_t address)
{
	struct dl_find_object found;
	struct link_map map; /* copied: another thread may be unloading it */

	return find(address, &found) &&
	       wcm__read_memory((uintptr_t)found.dlfo_link_map, &map,
				sizeof(map)) &&
	       wcm__module_describe_image(module, (uintptr_t)found.dlfo_map_start,
					  wcm__module_path(map.l_name)) &&
	       address >= module->lo && address < module->hi;
}

bool wcm__modules_find_place(uintptr_t address, uintptr_t *lo, uintptr_t *hi)
{
	struct dl_find_object found;

	if (!find(address, &found))
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

	if (!find(pc, &found))
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
