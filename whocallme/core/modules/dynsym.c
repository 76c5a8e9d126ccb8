/* SPDX-License-Identifier: MIT */
/* dynsym.c (SAFE) - finds a function in the mapped .dynsym of a module without a table.
 *
 * The section is in no useful order, so all of it is looked at.  That takes
 * microseconds, for a module that nobody has built a table for.
 */
#include "core/modules/dynsym.h"

#include <string.h>

#include "core/os/read.h"

/* A symbol without a type counts, too: who asks drops it if its address is not in code. */
static bool is_function(const ElfW(Sym) *symbol)
{
	unsigned type = ELF64_ST_TYPE(symbol->st_info);

	return symbol->st_shndx != SHN_UNDEF &&
	       (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE);
}

static bool is_untyped(const ElfW(Sym) *symbol)
{
	return ELF64_ST_TYPE(symbol->st_info) == STT_NOTYPE;
}

/* Typed over untyped, global over weak, as in the alias rule; the first one else. */
static bool is_better(const ElfW(Sym) *symbol, const ElfW(Sym) *best)
{
	if (symbol->st_value != best->st_value)
		return symbol->st_value > best->st_value;
	if (is_untyped(symbol) != is_untyped(best))
		return is_untyped(best);
	return ELF64_ST_BIND(symbol->st_info) == STB_GLOBAL &&
	       ELF64_ST_BIND(best->st_info) != STB_GLOBAL;
}

static bool holds(const ElfW(Sym) *symbol, uint64_t offset)
{
	return offset >= symbol->st_value &&
	       offset - symbol->st_value < symbol->st_size;
}

static bool is_data(const ElfW(Sym) *symbol)
{
	return symbol->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT;
}

/* Find the best symbol for OFFSET of those that are WANTED, the object going away meanwhile or
 * not: its symbols are copied out in lots. */
static bool find_best(const struct wcm_dynsym *dynsym, uint64_t offset,
		      bool (*wanted)(const ElfW(Sym) *), ElfW(Sym) *best)
{
	enum { LOT = 64 };
	ElfW(Sym) lot[LOT];
	bool found = false;

	for (size_t at = 0; at < dynsym->count; at += LOT) {
		size_t left = dynsym->count - at;
		size_t size = left < LOT ? left : LOT;

		if (!wcm__read_memory((uintptr_t)(dynsym->symbols + at), lot,
				      size * sizeof(*lot)))
			break;
		for (size_t i = 0; i < size; i++)
			if (wanted(&lot[i]) && holds(&lot[i], offset) &&
			    (!found || is_better(&lot[i], best))) {
				*best = lot[i];
				found = true;
			}
	}
	return found;
}

/* Whether a string starts at OFFSET of the strings and ends among them. */
static bool is_string(const struct wcm_dynsym *dynsym, size_t offset)
{
	char part[64];

	while (offset < dynsym->strings_size) {
		size_t left = dynsym->strings_size - offset;
		size_t size = left < sizeof(part) ? left : sizeof(part);

		if (!wcm__read_memory((uintptr_t)(dynsym->strings + offset),
				      part, size))
			return false;
		if (memchr(part, '\0', size))
			return true;
		offset += size;
	}
	return false;
}

static bool find(const struct wcm_dynsym *dynsym, uint64_t offset,
		 bool (*wanted)(const ElfW(Sym) *), struct wcm_dynsym_function *function)
{
	ElfW(Sym) best;

	if (!find_best(dynsym, offset, wanted, &best) ||
	    !is_string(dynsym, best.st_name))
		return false;
	*function = (struct wcm_dynsym_function){
		.name = dynsym->strings + best.st_name,
		.value = best.st_value,
		.size = best.st_size,
		.ifunc = ELF64_ST_TYPE(best.st_info) == STT_GNU_IFUNC,
		.untyped = ELF64_ST_TYPE(best.st_info) == STT_NOTYPE,
	};
	return true;
}

bool wcm__dynsym_find(const struct wcm_dynsym *dynsym, uint64_t offset,
		      struct wcm_dynsym_function *function)
{
	return find(dynsym, offset, is_function, function);
}

bool wcm__dynsym_find_data(const struct wcm_dynsym *dynsym, uint64_t offset,
			   struct wcm_dynsym_function *data)
{
	return find(dynsym, offset, is_data, data);
}

/* Whether the string at OFFSET of the strings is NAME. */
static bool is_name(const struct wcm_dynsym *dynsym, size_t offset, const char *name)
{
	const size_t size = strlen(name) + 1;
	char part[64];

	return size <= sizeof(part) && offset < dynsym->strings_size &&
	       dynsym->strings_size - offset >= size &&
	       wcm__read_memory((uintptr_t)(dynsym->strings + offset), part, size) &&
	       memcmp(part, name, size) == 0;
}

bool wcm__dynsym_value(const struct wcm_dynsym *dynsym, const char *name,
		       uint64_t *value)
{
	ElfW(Sym) symbol;

	for (size_t at = 0; at < dynsym->count; at++) {
		if (!wcm__read_memory((uintptr_t)(dynsym->symbols + at), &symbol,
				      sizeof(symbol)))
			return false;
		if (symbol.st_shndx != SHN_UNDEF &&
		    is_name(dynsym, symbol.st_name, name)) {
			*value = symbol.st_value;
			return true;
		}
	}
	return false;
}

bool wcm__dynsym_wants(const struct wcm_dynsym *dynsym, const char *name)
{
	const size_t size = strlen(name) + 1;

	for (size_t i = 0; i < dynsym->count; i++) {
		const ElfW(Sym) *symbol = &dynsym->symbols[i];

		if (symbol->st_shndx == SHN_UNDEF &&
		    symbol->st_name < dynsym->strings_size &&
		    dynsym->strings_size - symbol->st_name >= size &&
		    memcmp(dynsym->strings + symbol->st_name, name, size) == 0)
			return true;
	}
	return false;
}
