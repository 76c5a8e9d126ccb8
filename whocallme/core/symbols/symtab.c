/* SPDX-License-Identifier: MIT */
/* symtab.c (SAFE) - finds a function in the .symtab of a module's file.
 *
 * The alias rule is that of load/objects/build_table.c.
 */
#include "core/symbols/symtab.h"

#include <string.h>

#include "core/os/file.h"
#include "core/symbols/symbol_name.h"

enum { MOST_SYMBOLS = 1 << 24, MOST_ALIASES = 256,
       MOST_OCCURRENCES = 16 };

/* Without a build-id the function's own code has to tell, unless the kernel does. */
static bool is_mapped_function(struct wcm_symtab_search *search)
{
	enum { ENOUGH = sizeof(search->lot.byte[0]) };
	const uint64_t size = search->unsized ? search->offset - search->value + 1
					      : search->size;

	return search->only_executable || search->module->build_id_size > 0 ||
	       wcm__symtab_is_mapped(search, search->value, size < ENOUGH ? size : ENOUGH);
}

/* NAME is the string at AT, cut to what is shown of it; NULL: there is none. */
static char *read_name(const struct wcm_symtab_search *search, uint64_t at, char *name)
{
	const uint64_t left = at < search->strings.sh_size ?
				      search->strings.sh_size - at : 0;
	const size_t size = left < WCM_SYMTAB_NAME ? left : WCM_SYMTAB_NAME;
	char *end, *version;

	if (!wcm__symtab_read(search, search->strings.sh_offset + at, name, size))
		return NULL;
	end = memchr(name, '\0', size);
	if (!end || end == name)
		return NULL;
	version = memchr(name + 1, '@', (size_t)(end - name - 1));
	if (version)
		*version = '\0';
	return name;
}

/* Typed over untyped, sized over unsized, global over weak over local; the lowest. */
static unsigned rank_of(const ElfW(Sym) *symbol)
{
	const unsigned bind = ELF64_ST_BIND(symbol->st_info);

	return (ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT ? 16 : 0) |
	       (bind == STB_LOCAL ? 8 : bind == STB_WEAK ? 4 : 0) |
	       (symbol->st_size == 0 ? 2 : 0) |
	       (ELF64_ST_TYPE(symbol->st_info) == STT_NOTYPE ? 1 : 0);
}

static size_t underscores(const char *name)
{
	size_t count = 0;

	while (name[count] == '_')
		count++;
	return count;
}

/* The fewest leading underscores, then by the alphabet. */
static bool has_better_name(struct wcm_symtab_search *search, const ElfW(Sym) *symbol,
			    const ElfW(Sym) *best)
{
	const char *a = read_name(search, symbol->st_name, search->text[0]);
	const char *b = read_name(search, best->st_name, search->text[1]);
	size_t under_a, under_b;

	if (!a || !b)
		return a;
	under_a = underscores(a);
	under_b = underscores(b);
	if (under_a != under_b)
		return under_a < under_b;
	while (*a && *a == *b)
		a++, b++;
	return (unsigned char)*a < (unsigned char)*b;
}

static bool is_better(struct wcm_symtab_search *search, const ElfW(Sym) *symbol,
		      const ElfW(Sym) *best)
{
	unsigned rank, best_rank;

	if (best->st_name == 0 || symbol->st_value != best->st_value)
		return best->st_name == 0 || symbol->st_value > best->st_value;
	rank = rank_of(symbol);
	best_rank = rank_of(best);
	if (rank != best_rank || search->aliases++ > MOST_ALIASES)
		return rank < best_rank;
	return has_better_name(search, symbol, best);
}

/* A function; or a label or data, which may be where an unsized function ends. */
static bool is_wanted(const ElfW(Sym) *symbol)
{
	const unsigned type = ELF64_ST_TYPE(symbol->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE ||
		type == STT_OBJECT) &&
	       symbol->st_name != 0 && symbol->st_shndx != SHN_UNDEF &&
	       (symbol->st_shndx < SHN_LORESERVE || symbol->st_shndx == SHN_XINDEX);
}

static bool is_function(const ElfW(Sym) *symbol)
{
	const unsigned type = ELF64_ST_TYPE(symbol->st_info);

	return type == STT_FUNC || type == STT_GNU_IFUNC;
}

static bool is_untyped(const ElfW(Sym) *symbol)
{
	return ELF64_ST_TYPE(symbol->st_info) == STT_NOTYPE;
}

static bool is_mere_label(const struct wcm_symtab_search *search, const ElfW(Sym) *symbol)
{
	const uint64_t left = search->strings.sh_size - symbol->st_name;
	char name[4] = { 0 };

	return symbol->st_name >= search->strings.sh_size ||
	       !wcm__symtab_read(search, search->strings.sh_offset + symbol->st_name, name,
				 left < 3 ? left : 3) ||
	       wcm__is_mere_label(name);
}

static bool is_in_code(const struct wcm_symtab_search *search, const ElfW(Sym) *symbol)
{
	ElfW(Shdr) section;

	return symbol->st_shndx < SHN_LORESERVE &&
	       wcm__symtab_section(search, symbol->st_shndx, &section) &&
	       (section.sh_flags & SHF_EXECINSTR);
}

/* What nobody gave a type is a function where it is in code. */
static bool holds(const struct wcm_symtab_search *search, const ElfW(Sym) *symbol)
{
	return search->offset - symbol->st_value < symbol->st_size &&
	       (is_function(symbol) ||
		(is_untyped(symbol) && is_in_code(search, symbol) &&
		 !is_mere_label(search, symbol)));
}

/* Labels are local, and have no size. */
static bool may_be_label(const ElfW(Sym) *symbol)
{
	return is_untyped(symbol) && symbol->st_size == 0 &&
	       ELF64_ST_BIND(symbol->st_info) == STB_LOCAL;
}

static void consider(struct wcm_symtab_search *search, const ElfW(Sym) *symbol)
{
	if (symbol->st_value > search->offset || !is_wanted(symbol))
		return;
	if (holds(search, symbol) && is_better(search, symbol, &search->best))
		search->best = *symbol;
	if (search->best.st_name == 0 && symbol->st_value >= search->nearest.st_value &&
	    !may_be_label(symbol) && is_better(search, symbol, &search->nearest))
		search->nearest = *symbol;
}

/* The name of each has to be read: only those behind the nearest of all others are. */
static void consider_label(struct wcm_symtab_search *search, const ElfW(Sym) *symbol)
{
	if (symbol->st_value <= search->offset && may_be_label(symbol) && is_wanted(symbol) &&
	    symbol->st_value >= search->nearest.st_value &&
	    is_better(search, symbol, &search->nearest) && !is_mere_label(search, symbol))
		search->nearest = *symbol;
}

/* A variable, or what nobody gave a type and is in no code. */
static bool is_data(const struct wcm_symtab_search *search, const ElfW(Sym) *symbol)
{
	return ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT ||
	       (is_untyped(symbol) && !is_in_code(search, symbol) &&
		!is_mere_label(search, symbol));
}

static void consider_data(struct wcm_symtab_search *search, const ElfW(Sym) *symbol)
{
	if (search->offset - symbol->st_value < symbol->st_size && is_wanted(symbol) &&
	    is_data(search, symbol) && is_better(search, symbol, &search->best))
		search->best = *symbol;
}

static void consider_name(struct wcm_symtab_search *search, const ElfW(Sym) *symbol)
{
	if (symbol->st_name == search->wanted_name && is_wanted(symbol))
		search->best = *symbol;
}

static bool is_variable(const struct wcm_symtab_search *search, const ElfW(Sym) *symbol,
			char *name)
{
	const size_t size = strlen(search->variable) + 1;

	return is_wanted(symbol) && !is_function(symbol) && size <= WCM_SYMTAB_NAME &&
	       symbol->st_name < search->strings.sh_size &&
	       search->strings.sh_size - symbol->st_name >= size &&
	       wcm__symtab_read(search, search->strings.sh_offset + symbol->st_name, name, size) &&
	       memcmp(name, search->variable, size) == 0;
}

static void consider_variable(struct wcm_symtab_search *search, const ElfW(Sym) *symbol)
{
	if (!is_variable(search, symbol, search->text[0]))
		return;
	search->value = symbol->st_value;
	search->size = symbol->st_size;
	search->aliases++;
}

static bool visit_symbols(struct wcm_symtab_search *search, wcm_symtab_visitor *visit)
{
	const ElfW(Sym) *symbol = search->lot.symbol;
	const uint64_t count = search->symbols.sh_size / sizeof(*symbol);

	for (uint64_t at = 0; at < count && at < MOST_SYMBOLS; at += WCM_SYMTAB_LOT) {
		const size_t part = count - at < WCM_SYMTAB_LOT ? count - at
								: WCM_SYMTAB_LOT;

		if (!wcm__symtab_read(search, search->symbols.sh_offset + at * sizeof(*symbol),
				      search->lot.symbol, part * sizeof(*symbol)))
			return false;
		for (size_t i = 0; i < part; i++)
			visit(search, &symbol[i]);
	}
	return true;
}

static bool read_symbols(struct wcm_symtab_search *search)
{
	search->best.st_name = search->nearest.st_name = 0;
	search->nearest.st_value = search->aliases = 0;
	return visit_symbols(search, consider) &&
	       (search->best.st_name != 0 || visit_symbols(search, consider_label));
}

/* An unsized function goes on to the next symbol, or to the end of its section. */
static bool reaches(const struct wcm_symtab_search *search, const ElfW(Sym) *symbol)
{
	ElfW(Shdr) section;

	return symbol->st_name != 0 && symbol->st_size == 0 &&
	       (is_function(symbol) || is_untyped(symbol)) &&
	       symbol->st_shndx < SHN_LORESERVE &&
	       wcm__symtab_section(search, symbol->st_shndx, &section) &&
	       (is_function(symbol) || (section.sh_flags & SHF_EXECINSTR)) &&
	       symbol->st_value >= section.sh_addr &&
	       search->offset - section.sh_addr < section.sh_size;
}

/* NAME is cut to that of the function that it is a part of; 0: it is whole. */
static uint8_t cut_part(char *name)
{
	uint8_t flag = 0;

	name[wcm__part_suffix(name, strlen(name), &flag)] = '\0';
	return flag;
}

static bool take(struct wcm_symtab_search *search, const ElfW(Sym) *symbol)
{
	search->name = read_name(search, symbol->st_name, search->text[0]);
	if (!search->name)
		return false;
	search->part = cut_part(search->name);
	search->value = symbol->st_value;
	search->size = symbol->st_size;
	search->unsized = symbol->st_size == 0;
	search->ifunc = ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC;
	return is_mapped_function(search);
}

static bool find_function(struct wcm_symtab_search *search)
{
	if (!read_symbols(search))
		return false;
	if (search->best.st_name != 0)
		return take(search, &search->best);
	return reaches(search, &search->nearest) && take(search, &search->nearest);
}

/* The first place in SIZE bytes of TEXT where NAME is, with the zero behind it. */
static const char *find_in(const char *text, size_t size, const char *name)
{
	const size_t length = strlen(name) + 1;
	const char *at = text;

	while (size - (size_t)(at - text) >= length) {
		at = memchr(at, name[0], size - (size_t)(at - text) - (length - 1));
		if (!at || memcmp(at, name, length) == 0)
			return at;
		at++;
	}
	return NULL;
}

/* The first place in the strings from AT on where NAME is, or a name that ends with it,
 * of which it may be a part; the strings' size, where there is none. */
static uint64_t find_string(struct wcm_symtab_search *search, const char *name,
			    uint64_t at)
{
	const uint64_t end = search->strings.sh_size, overlap = strlen(name);
	char *text = search->text[0];

	for (; end - at > overlap; at += WCM_SYMTAB_NAME - overlap) {
		const size_t part = end - at < WCM_SYMTAB_NAME ? end - at
							       : WCM_SYMTAB_NAME;
		const char *found;

		if (!wcm__symtab_read(search, search->strings.sh_offset + at, text, part))
			return end;
		found = find_in(text, part, name);
		if (found)
			return at + (uint64_t)(found - text);
		if (part < WCM_SYMTAB_NAME)
			return end;
	}
	return end;
}

/* Take the symbol whose name is the string at AT. */
static bool take_named(struct wcm_symtab_search *search, uint64_t at)
{
	search->wanted_name = at;
	search->best.st_name = 0;
	if (!visit_symbols(search, consider_name) || search->best.st_name == 0)
		return false;
	search->offset = search->best.st_value;
	return take(search, &search->best);
}

static bool find_named(struct wcm_symtab_search *search, const char *name)
{
	uint64_t at = find_string(search, name, 0);

	for (int i = 0; i < MOST_OCCURRENCES && at < search->strings.sh_size; i++) {
		if (take_named(search, at))
			return true;
		at = find_string(search, name, at + 1);
	}
	return false;
}

bool wcm__symtab_find(struct wcm_symtab_search *search,
		      const struct wcm_module *module, uint64_t offset)
{
	bool found;

	search->offset = offset;
	if (!wcm__symtab_open(search, module))
		return false;
	found = find_function(search);
	wcm__close(search->fd);
	return found;
}

/* Data may have changed since it was mapped: without a build-id, the code's start has to tell. */
static bool is_of_mapped_code(struct wcm_symtab_search *search)
{
	const struct wcm_module *module = search->module;
	const uintptr_t size = module->text_hi - module->text_lo;

	return module->build_id_size > 0 ||
	       wcm__symtab_is_mapped(search, module->text_lo - module->bias,
				     size < sizeof(search->lot.byte[0])
					     ? size : sizeof(search->lot.byte[0]));
}

static bool find_data(struct wcm_symtab_search *search)
{
	search->best.st_name = 0;
	search->aliases = 0;
	if (!visit_symbols(search, consider_data) || search->best.st_name == 0)
		return false;
	search->name = read_name(search, search->best.st_name, search->text[0]);
	search->value = search->best.st_value;
	search->size = search->best.st_size;
	return search->name;
}

bool wcm__symtab_find_data(struct wcm_symtab_search *search,
			   const struct wcm_module *module, uint64_t offset)
{
	bool found;

	search->offset = offset;
	if (!wcm__symtab_open(search, module))
		return false;
	found = find_data(search) && is_of_mapped_code(search);
	wcm__close(search->fd);
	return found;
}

bool wcm__symtab_find_data_in(struct wcm_symtab_search *search, const struct wcm_module *module,
			      uint64_t offset, int fd)
{
	search->offset = offset;
	return wcm__symtab_take(search, module, fd) && find_data(search);
}

bool wcm__symtab_find_name(struct wcm_symtab_search *search,
			   const struct wcm_module *module, const char *name)
{
	bool found;

	if (!wcm__symtab_open(search, module))
		return false;
	found = find_named(search, name);
	wcm__close(search->fd);
	return found;
}

bool wcm__symtab_find_variable(struct wcm_symtab_search *search,
			       const struct wcm_module *module, const char *name)
{
	search->variable = name;
	search->aliases = 0;
	return wcm__symtab_visit(search, module, consider_variable) && search->aliases == 1;
}

bool wcm__symtab_visit(struct wcm_symtab_search *search, const struct wcm_module *module,
		       wcm_symtab_visitor *visit)
{
	bool read;

	if (!wcm__symtab_open(search, module))
		return false;
	read = visit_symbols(search, visit);
	wcm__close(search->fd);
	return read;
}
