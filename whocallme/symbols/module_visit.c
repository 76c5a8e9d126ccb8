/* SPDX-License-Identifier: MIT */
/* module_visit.c - which modules are loaded at this moment?
 *
 * Those of the published list that are still there, then those that the dynamic
 * linker has loaded since: its own list, followed without its lock.  An entry that
 * is being freed is at worst misread, since every step goes through the seam.
 */
#include <link.h>

#include "symbols/auxv.h"
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

/* The executable's dynamic section; 0 where it has none. */
static uintptr_t find_dynamic(void)
{
	const ElfW(Phdr) *phdr = (const ElfW(Phdr) *)wcm__auxv(AT_PHDR);
	size_t phnum = wcm__auxv(AT_PHNUM);
	uintptr_t bias = 0, dynamic = 0;

	for (size_t i = 0; phdr && i < phnum; i++) {
		if (phdr[i].p_type == PT_PHDR)
			bias = (uintptr_t)phdr - phdr[i].p_vaddr;
		if (phdr[i].p_type == PT_DYNAMIC)
			dynamic = phdr[i].p_vaddr;
	}
	return dynamic ? bias + dynamic : 0;
}

/* The dynamic linker's list, which it enters in the executable for debuggers.  By
 * the name of that record the preload library would need the linker itself. */
static uintptr_t first_linked(void)
{
	enum { MOST_ENTRIES = 256 };
	uintptr_t at = find_dynamic();
	struct r_debug record;
	ElfW(Dyn) entry;

	for (unsigned i = 0; at && i < MOST_ENTRIES; i++, at += sizeof(entry)) {
		if (!wcm__read_memory(at, &entry, sizeof(entry)) ||
		    entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag == DT_DEBUG &&
		    wcm__read_memory(entry.d_un.d_ptr, &record, sizeof(record)))
			return (uintptr_t)record.r_map;
	}
	return 0;
}

/* Visit the module of the link map AT unless it is known, and move AT on.  False
 * where the visits are ended. */
static bool visit_linked(uintptr_t *at, wcm_module_visitor *visit, void *data)
{
	struct wcm_module module;
	struct link_map map;
	uintptr_t inside;

	if (!wcm__read_memory(*at, &map, sizeof(map))) {
		*at = 0;
		return true;
	}
	*at = (uintptr_t)map.l_next;
	inside = (uintptr_t)map.l_ld;
	return !inside || wcm__modules_find_loaded(inside) ||
	       !wcm__module_find_live(&module, inside) ||
	       visit(&module, data);
}

bool wcm__modules_visit(wcm_module_visitor *visit, void *data)
{
	enum { MOST_MODULES = 65536 };
	uintptr_t at;

	if (!visit_known(visit, data))
		return false;
	at = first_linked();
	for (unsigned i = 0; at && i < MOST_MODULES; i++)
		if (!visit_linked(&at, visit, data))
			return false;
	return true;
}
