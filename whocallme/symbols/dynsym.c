/* SPDX-License-Identifier: MIT */
/* dynsym.c - names from an object's own mapped .dynsym, for what no table
 * covers.
 *
 * The section is in no useful order, so all of it is looked at: microseconds,
 * for a module that nobody has loaded a table for.
 */
#include "symbols/dynsym.h"

#include <string.h>

static bool is_function(const ElfW(Sym) *symbol)
{
	unsigned type = ELF64_ST_TYPE(symbol->st_info);

	return symbol->st_shndx != SHN_UNDEF &&
	       (type == STT_FUNC || type == STT_GNU_IFUNC);
}

/* Global over weak, as in the alias rule; the first one else. */
static bool is_better(const ElfW(Sym) *symbol, const ElfW(Sym) *best)
{
	if (!best || symbol->st_value != best->st_value)
		return !best || symbol->st_value > best->st_value;
	return ELF64_ST_BIND(symbol->st_info) == STB_GLOBAL &&
	       ELF64_ST_BIND(best->st_info) != STB_GLOBAL;
}

bool wcm__dynsym_find(const struct wcm_dynsym *dynsym, uint64_t offset,
		      struct wcm_dynsym_function *function)
{
	const ElfW(Sym) *best = NULL;

	for (size_t i = 0; i < dynsym->count; i++) {
		const ElfW(Sym) *symbol = &dynsym->symbols[i];

		if (is_function(symbol) && offset >= symbol->st_value &&
		    offset - symbol->st_value < symbol->st_size &&
		    is_better(symbol, best))
			best = symbol;
	}
	if (!best || best->st_name >= dynsym->strings_size ||
	    !memchr(dynsym->strings + best->st_name, '\0',
		    dynsym->strings_size - best->st_name))
		return false;
	*function = (struct wcm_dynsym_function){
		.name = dynsym->strings + best->st_name,
		.value = best->st_value,
		.size = best->st_size,
		.ifunc = ELF64_ST_TYPE(best->st_info) == STT_GNU_IFUNC,
	};
	return true;
}
