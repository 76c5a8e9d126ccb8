/* SPDX-License-Identifier: MIT */
/* permanent.c - tells which modules can never be unloaded.
 *
 * They are the closure of DT_NEEDED from the executable.  Preloaded libraries, and
 * those that a needed name reached under another name, are missing: a look-up in those
 * takes longer, and is still right.
 */
#include "load/permanent.h"

#include <string.h>

static const ElfW(Dyn) *dynamic_section(const struct wcm_module *module)
{
	for (uint32_t i = 0; i < module->phnum; i++)
		if (module->phdr[i].p_type == PT_DYNAMIC)
			return (const ElfW(Dyn) *)(module->bias +
						   module->phdr[i].p_vaddr);
	return NULL;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The file name or the SONAME. */
static bool is_called(const struct wcm_module *module, const char *name)
{
	const ElfW(Dyn) *entry = dynamic_section(module);

	if (strcmp(base_name(module->path), base_name(name)) == 0)
		return true;
	for (; entry && entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == DT_SONAME &&
		    entry->d_un.d_val < module->dynsym.strings_size)
			return strcmp(module->dynsym.strings +
					      entry->d_un.d_val,
				      name) == 0;
	return false;
}

static bool mark_called(struct wcm_known_module *const *module, size_t count,
			const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (!is_called(&module[i]->map, name))
			continue;
		if (module[i]->permanent) /* a namesake came by dlopen(3) */
			return false;
		return module[i]->permanent = true;
	}
	return false;
}

static bool mark_needed_by(const struct wcm_module *by,
			   struct wcm_known_module *const *module, size_t count)
{
	const ElfW(Dyn) *entry = dynamic_section(by);
	bool marked = false;

	for (; entry && entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == DT_NEEDED &&
		    entry->d_un.d_val < by->dynsym.strings_size)
			marked |= mark_called(module, count,
					      by->dynsym.strings +
						      entry->d_un.d_val);
	return marked;
}

void wcm__mark_permanent(struct wcm_known_module *const *module, size_t count)
{
	bool marked = true;

	while (marked) {
		marked = false;
		for (size_t i = 0; i < count; i++)
			if (module[i]->permanent)
				marked |= mark_needed_by(&module[i]->map,
							 module, count);
	}
}
