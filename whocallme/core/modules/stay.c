/* SPDX-License-Identifier: MIT */
/* stay.c (SAFE) - keeps the module that this library is in from being unloaded.
 *
 * The shared library is linked so that it never is.  A static copy may be in a plugin, whose
 * dlclose(3) would leave signal handlers, threads and patched code that lead to nowhere.  It is not
 * known which of them the program has replaced meanwhile, so that giving them back is no way.
 */
#include "core/modules/stay.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A wholly static program has none, and nothing that could be unloaded. */
#pragma weak dlopen

struct search {
	bool is_first; /* the executable */
	const char *name;
};

static bool holds(const struct dl_phdr_info *info, uintptr_t address)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type == PT_LOAD &&
		    address - info->dlpi_addr - segment->p_vaddr < segment->p_memsz)
			return true;
	}
	return false;
}

/* The shared libraries: they stay anyway, and dlopen(3) allocates before a program's allocator is
 * ready. */
static bool is_library(const char *name)
{
	static const char ours[] = "libwhocallme";
	const char *at = name;

	for (; *name; name++)
		if (*name == '/')
			at = name + 1;
	for (size_t i = 0; i < sizeof(ours) - 1; i++)
		if (at[i] != ours[i])
			return false;
	return true;
}

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *search = data;
	const bool is_here = holds(info, (uintptr_t)look);

	(void)size;
	if (is_here && !search->is_first)
		search->name = info->dlpi_name;
	search->is_first = false;
	return is_here;
}

void wcm__stay(void)
{
	static bool stays;
	struct search search = { .is_first = true };

	if (__atomic_exchange_n(&stays, true, __ATOMIC_RELAXED))
		return;
	dl_iterate_phdr(look, &search);
	if (search.name && *search.name && !is_library(search.name) && dlopen)
		dlopen(search.name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

