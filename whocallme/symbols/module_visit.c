/* SPDX-License-Identifier: MIT */
/* module_visit.c - which modules are loaded at this moment?
 *
 * Those of the published list that are still there, then those that the dynamic
 * linker has loaded since: its own list, followed without its lock.  An entry that
 * is being freed is at worst misread, since every step goes through the seam.
 */
#include <link.h>

#include "symbols/modules.h"
#include "unwind/read.h"

static bool is_loaded(const struct wcm_known_module *module)
{
	return module->permanent || wcm__module_fingerprint(&module->map) ==
					    module->fingerprint;
}

static bool visit_known(wcm_module_visitor *visit, void *data)
{
	const struct wcm_module_list *list = wcm__modules_get();

	for (size_t i = 0; i < list->count; i++) {
		struct wcm_module map = list->module[i]->map;

		map.build_id = list->module[i]->build_id;
		if (is_loaded(list->module[i]) && !visit(&map, data))
			return false;
	}
	return true;
}

bool wcm__modules_visit(wcm_module_visitor *visit, void *data)
{
	enum { MOST_MODULES = 65536 };
	struct wcm_module module;
	struct link_map map;
	uintptr_t at;

	if (!visit_known(visit, data))
		return false;
	at = (uintptr_t)_r_debug.r_map;
	for (unsigned i = 0; at && i < MOST_MODULES; i++) {
		uintptr_t inside;

		if (!wcm__read_memory(at, &map, sizeof(map)))
			break;
		at = (uintptr_t)map.l_next;
		inside = (uintptr_t)map.l_ld;
		if (inside && !wcm__modules_find_loaded(inside) &&
		    wcm__module_find_live(&module, inside) &&
		    !visit(&module, data))
			return false;
	}
	return true;
}
