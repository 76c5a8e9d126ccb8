/* SPDX-License-Identifier: MIT */
/* unloadable.c - finds the module of running code, of those that can be unloaded.
 *
 * Code that is on the stack keeps its module mapped, so the module may be read without
 * asking the kernel.  Its build-id tells it from another that was at the same address.
 */
#include "trace/names/unloadable.h"

#include <dlfcn.h>
#include <string.h>

#include "core/os/read.h"

/* The first page is mapped in any case: it has the headers. */
static bool is_there(const struct wcm_known_module *module, uintptr_t start)
{
	const uintptr_t id = (uintptr_t)module->map.build_id;

	return !module->permanent && module->map.build_id_size > 0 &&
	       (module->map.lo & ~(WCM_PAGE - 1)) == start && id >= start &&
	       id - start + module->map.build_id_size <= WCM_PAGE &&
	       memcmp(module->map.build_id, module->build_id,
		      module->map.build_id_size) == 0;
}

const struct wcm_known_module *wcm__unloadable_find(uintptr_t pc)
{
	const struct wcm_module_list *list = wcm__modules_get();
	struct dl_find_object found;

	if (_dl_find_object((void *)pc, &found) != 0)
		return NULL;
	for (size_t i = 0; i < list->count; i++)
		if (pc >= list->module[i]->map.lo &&
		    pc < list->module[i]->map.hi &&
		    is_there(list->module[i], (uintptr_t)found.dlfo_map_start))
			return list->module[i];
	return NULL;
}
