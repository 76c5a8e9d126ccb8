/* SPDX-License-Identifier: MIT */
/* own_symbols.c - reads the functions of a loaded module's own .symtab, without BFD.
 *
 * Those of .dynsym that it lacks are added.  A trace needs names before the program's first
 * function: BFD takes a millisecond for a small file.  Which symbols count, and how they rank,
 * is as objfile.c has it.
 */
#include "load/objects/raw_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "core/os/file.h"
#include "core/symbols/symtab_file.h"
#include "load/objects/build_table.h"
#include "load/objects/elf_symbol.h"
#include "load/objects/solid.h"

/* SIZE bytes of FD from AT on, and a zero byte behind them; NULL: there are not so many. */
static void *read_part(int fd, uint64_t at, uint64_t size)
{
	enum { MOST = 1 << 28 };
	char *part = size < MOST ? malloc(size + 1) : NULL;

	if (!part)
		return NULL;
	part[size] = '\0';
	if (wcm__solid_read(fd, part, size, at) == size)
		return part;
	free(part);
	return NULL;
}

static bool lay_sections_out(struct wcm_section_layout *layout, const ElfW(Shdr) *section,
			     unsigned count)
{
	layout->section = calloc(count, sizeof(*layout->section));
	if (!layout->section)
		return false;
	layout->count = count;
	for (unsigned i = 0; i < count; i++)
		layout->section[i] = (struct wcm_laid_section){
			.vma = section[i].sh_addr,
			.size = section[i].sh_size,
			.code = section[i].sh_flags & SHF_EXECINSTR,
		};
	wcm__section_layout_make(layout);
	return true;
}

/* COUNT symbols whose names are among STRINGS. */
static void add_all(struct wcm_own_symbols *symbols, const ElfW(Sym) *symbol, size_t count,
		    const char *strings, size_t strings_size)
{
	const struct wcm_section_layout *layout = &symbols->layout;

	for (size_t i = 0; i < count; i++, symbol++)
		if (symbol->st_name < strings_size && symbol->st_shndx < layout->count)
			wcm__elf_symbol_add(&symbols->raw, layout, &(struct wcm_elf_symbol){
				.name = strings + symbol->st_name,
				.value = symbol->st_value - layout->section[symbol->st_shndx].vma,
				.size = symbol->st_size,
				.section = symbol->st_shndx,
				.type = ELF64_ST_TYPE(symbol->st_info),
				.bind = ELF64_ST_BIND(symbol->st_info),
			});
}

static bool has_section(int fd, const ElfW(Shdr) *section, const ElfW(Ehdr) *head,
			const char *name)
{
	const ElfW(Shdr) *names = &section[head->e_shstrndx];
	char *text = head->e_shstrndx < head->e_shnum ?
			     read_part(fd, names->sh_offset, names->sh_size) : NULL;
	bool found = false;

	for (unsigned i = 0; text && !found && i < head->e_shnum; i++)
		found = section[i].sh_name < names->sh_size &&
			strcmp(text + section[i].sh_name, name) == 0;
	free(text);
	return found;
}

/* Add the functions of a table of symbols, whose names STRINGS says where to find.  NAMES holds
 * these then, for the caller to free. */
static bool add_table(struct wcm_own_symbols *symbols, int fd, const ElfW(Shdr) *table,
		      const ElfW(Shdr) *strings, char **names)
{
	const size_t count = table->sh_size / sizeof(ElfW(Sym));
	ElfW(Sym) *symbol = read_part(fd, table->sh_offset, count * sizeof(*symbol));
	bool read;

	*names = read_part(fd, strings->sh_offset, strings->sh_size);
	read = symbol && *names && wcm__raw_symbols_reserve(&symbols->raw, count);
	if (read)
		add_all(symbols, symbol, count, *names, strings->sh_size);
	free(symbol);
	return read;
}

/* What .symtab may lack: it can have been stripped of single functions. */
static void add_exported(struct wcm_own_symbols *symbols, int fd, const ElfW(Shdr) *section,
			 unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (section[i].sh_type == SHT_DYNSYM && section[i].sh_link < count) {
			if (wcm__sort_before_doubles(&symbols->raw))
				add_table(symbols, fd, &section[i], &section[section[i].sh_link],
					  &symbols->exported);
			symbols->raw.sorted = 0;
			return;
		}
}

static bool read_open(struct wcm_own_symbols *symbols, const struct wcm_symtab_search *search)
{
	const ElfW(Ehdr) *head = &search->head;
	ElfW(Shdr) *section = read_part(search->fd, head->e_shoff,
					head->e_shnum * sizeof(*section));
	const bool read = section && lay_sections_out(&symbols->layout, section, head->e_shnum) &&
			  add_table(symbols, search->fd, &search->symbols, &search->strings,
				    &symbols->strings) &&
			  symbols->raw.count > 0;

	if (read) {
		symbols->has_debug_frame = has_section(search->fd, section, head, ".debug_frame");
		add_exported(symbols, search->fd, section, head->e_shnum);
	}
	free(section);
	return read;
}

bool wcm__own_symbols_read(struct wcm_own_symbols *symbols, const struct wcm_module *module,
			   bool is_executable)
{
	static struct wcm_symtab_search search;
	bool read;

	*symbols = (struct wcm_own_symbols){ .strings = NULL };
	search.only_executable = is_executable;
	if (!wcm__symtab_open(&search, module))
		return false;
	read = search.head.e_shnum > 0 && read_open(symbols, &search);
	wcm__close(search.fd);
	symbols->raw.is_whole = read;
	return read;
}

void wcm__own_symbols_free(struct wcm_own_symbols *symbols)
{
	wcm__raw_symbols_fini(&symbols->raw);
	free(symbols->layout.section);
	free(symbols->strings);
	free(symbols->exported);
}
