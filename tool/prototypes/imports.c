/* SPDX-License-Identifier: MIT */
/* imports.c - finds the functions of a library that a program calls by name.
 *
 * A library has them under names that its debug data need not have: both have their addresses.
 */
#include "prototypes/hand_over.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* Call SEE with each function's symbol in the dynamic table of FILE. */
static void visit(const struct elf_file *file,
		  void (*see)(void *data, const GElf_Sym *symbol, const char *name), void *data)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Sym symbol;
	Elf_Data *table;

	while ((section = elf_nextscn(file->elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNSYM ||
		    header.sh_entsize == 0 || !(table = elf_getdata(section, NULL)))
			continue;
		for (int i = 0; gelf_getsym(table, i, &symbol); i++) {
			const char *name = elf_strptr(file->elf, header.sh_link, symbol.st_name);

			if (name && *name)
				see(data, &symbol, name);
		}
	}
}

static void see_wanted(void *data, const GElf_Sym *symbol, const char *name)
{
	struct wanted_names *wanted = data;
	const char **grown;

	if (symbol->st_shndx != SHN_UNDEF)
		return;
	grown = grow(wanted->name, wanted->count, &wanted->room, sizeof(*grown));
	if (!grown)
		return;
	wanted->name = grown;
	wanted->name[wanted->count++] = name;
}

static int by_name(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

void wanted_names_read(struct wanted_names *wanted, const struct elf_file *program)
{
	*wanted = (struct wanted_names){ 0 };
	visit(program, see_wanted, wanted);
	if (wanted->count > 0)
		qsort(wanted->name, wanted->count, sizeof(*wanted->name), by_name);
}

void wanted_names_free(struct wanted_names *wanted)
{
	free(wanted->name);
}

struct reading {
	struct imports *imports;
	const struct wanted_names *wanted;
};

/* A line of the list has NAME and nothing else: a name is a file's, which may have any bytes. */
static bool is_plain(const char *name)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$";

	return name[strspn(name, plain)] == '\0' && strcmp(name, "enum") != 0;
}

static void see_import(void *data, const GElf_Sym *symbol, const char *name)
{
	const struct reading *reading = data;
	struct imports *imports = reading->imports;
	struct import *grown;

	if (symbol->st_shndx == SHN_UNDEF || GELF_ST_TYPE(symbol->st_info) != STT_FUNC ||
	    !is_plain(name) ||
	    !bsearch(&name, reading->wanted->name, reading->wanted->count, sizeof(name), by_name))
		return;
	grown = grow(imports->import, imports->count, &imports->room, sizeof(*grown));
	if (!grown)
		return;
	imports->import = grown;
	imports->import[imports->count++] = (struct import){ symbol->st_value, name };
}

static int by_address(const void *left, const void *right)
{
	const struct import *a = left, *b = right;

	return (a->at > b->at) - (a->at < b->at);
}

void imports_read(struct imports *imports, const struct elf_file *library,
		  const struct wanted_names *wanted)
{
	struct reading reading = { imports, wanted };

	*imports = (struct imports){ 0 };
	if (wanted->count > 0)
		visit(library, see_import, &reading);
	if (imports->count > 0)
		qsort(imports->import, imports->count, sizeof(*imports->import), by_address);
}

void imports_free(struct imports *imports)
{
	free(imports->import);
}

const struct import *imports_at(const struct imports *imports, uint64_t at)
{
	size_t lo = 0, hi = imports->count;

	while (lo < hi) {
		const size_t middle = lo + (hi - lo) / 2;

		if (imports->import[middle].at < at)
			lo = middle + 1;
		else
			hi = middle;
	}
	return lo < imports->count && imports->import[lo].at == at ? &imports->import[lo] : NULL;
}
