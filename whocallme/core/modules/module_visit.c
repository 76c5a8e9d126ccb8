/* SPDX-License-Identifier: MIT */
/* module_visit.c (SAFE) - visits every module that is loaded at this moment.
 *
 * Those of the published list that are still there come first, then those that the
 * dynamic linker has loaded since.
 */
#include "core/modules/linked.h"
#include "core/modules/modules.h"

static bool visit_known(wcm_module_visitor *visit, void *data)
{
	const struct wcm_module_list *list = wcm__modules_get();

	for (size_t i = 0; i < list->count; i++) {
		struct wcm_module map = list->module[i]->map;

		map.build_id = list->module[i]->build_id;
		if (wcm__module_is_loaded(list->module[i]) && !visit(&map, data))
			return false;
	}
	return true;
}

/* Visit the module of an entry unless it is known.  False where the visits are
 * ended. */
static bool visit_linked(const struct link_map *map, wcm_module_visitor *visit,
			 void *data)
{
	uintptr_t inside = (uintptr_t)map->l_ld;
	struct wcm_module module;

	return !inside || wcm__modules_find_loaded(inside) ||
	       !wcm__module_find_live(&module, inside) ||
	       visit(&module, data);
}

bool wcm__modules_visit(wcm_module_visitor *visit, void *data)
{
	enum { MOST_MODULES = 65536 };
	struct link_map map;
	uintptr_t at;

	if (!visit_known(visit, data))
		return false;
	at = wcm__linked_first();
	for (unsigned i = 0; i < MOST_MODULES && wcm__linked_next(&at, &map); i++)
		if (!visit_linked(&map, visit, data))
			return false;
	return true;
}
