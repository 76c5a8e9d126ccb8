/* SPDX-License-Identifier: MIT */
/* foreign_hooks.c - says which modules call hooks that are not this library's.
 *
 * libc has hooks that do nothing.  A library that is opened with RTLD_DEEPBIND finds those first,
 * and one that dlmopen(3) loads into a namespace of its own finds that namespace's.  The words that
 * they call by have been bound by the time the process ends, if there was a call.
 */
#include "trace/start/trace_start.h"

#ifdef PIC /* libtool's word for what goes into a shared library */

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "core/arch/arch.h"
#include "core/modules/dynsym.h"
#include "core/modules/linked.h"
#include "crash/threads/tasks.h"
#include "format/line.h"
#include "trace/engine/trace_stderr.h"
#include "trace/library/library_slots.h"

#define HOOK "__cyg_profile_func_enter"

static bool is_in(const struct wcm_module *module, uintptr_t at)
{
	return at >= module->lo && at < module->hi;
}

/* Whether the hook of one of COUNT relocations leads out of MODULE, where it is bound, and not to
 * this library. */
static bool is_foreign(const struct wcm_module *module, const ElfW(Rela) *relocation, size_t count)
{
	const struct wcm_dynsym *dynsym = &module->dynsym;
	Dl_info own, hook;

	for (size_t i = 0; i < count; i++) {
		const size_t number = relocation[i].r_info >> (sizeof(uintptr_t) == 8 ? 32 : 8);
		const uintptr_t at = module->bias + relocation[i].r_offset;
		uintptr_t to;

		if (number == 0 || number >= dynsym->count || !is_in(module, at) ||
		    dynsym->symbols[number].st_name >= dynsym->strings_size ||
		    strcmp(dynsym->strings + dynsym->symbols[number].st_name, HOOK) != 0)
			continue;
		to = *(const uintptr_t *)at;
		return to && !is_in(module, to) && dladdr((void *)to, &hook) &&
		       dladdr((void *)(uintptr_t)wcm__foreign_hooks_tell, &own) &&
		       hook.dli_fbase != own.dli_fbase;
	}
	return false;
}

static void tell(const char *path)
{
	wcm__line_say(wcm__trace_stderr(), "functions of ", path,
		      " are not traced: its hooks are another library's, as by dlmopen(3) "
		      "or RTLD_DEEPBIND; those of -fpatchable-function-entry=5 are");
}

static void look_at(const struct link_map *map)
{
	struct wcm_library_tables tables;
	struct wcm_module module;
	const char *path = wcm__module_path(map->l_name);

	if (!map->l_addr || !map->l_ld || !path ||
	    !wcm__module_describe_image(&module, map->l_addr, path) ||
	    !wcm__dynsym_wants(&module.dynsym, HOOK) || !wcm__library_tables(&module, &tables))
		return;
	if (is_foreign(&module, tables.calls, tables.calls_count) ||
	    is_foreign(&module, tables.data, tables.data_count))
		tell(path);
}

void wcm__foreign_hooks_tell(void)
{
	enum { MOST_MODULES = 65536 };
	struct link_map map;
	uintptr_t at;

	/* A filter of the program's may kill who reads memory by a system call. */
	if (wcm__task_has_asked_for_filter())
		return;
	at = wcm__linked_first();
	for (unsigned i = 0; i < MOST_MODULES && wcm__linked_next(&at, &map); i++)
		look_at(&map);
}

#else

void wcm__foreign_hooks_tell(void)
{
}

#endif
