/* SPDX-License-Identifier: MIT */
/* symbol_table.c - finds the name of an address in a module's symbol tables. */
#include "debug/symbol_table.h"

#include <stdlib.h>
#include <string.h>

struct symbol {
	uint64_t value, end; /* end: of its size; or of its section if it has none */
	const char *name;
	bool sized;
	uint8_t rank;   /* by binding: the greater the better */
	bool is_data; /* in a section of code: what is in front of it ends there */
	bool owns_name;
};

/* By value, in sections of code only. */
struct symbol_table {
	struct symbol *symbol;
	size_t count;
};

static uint8_t rank_of(const GElf_Sym *symbol)
{
	switch (GELF_ST_BIND(symbol->st_info)) {
	case STB_GLOBAL:
	case STB_GNU_UNIQUE:
		return 2;
	case STB_WEAK:
		return 1;
	default:
		return 0;
	}
}

/* The end of the section of number SECTION of ELF, an address; 0: unknown. */
static uint64_t section_end(Elf *elf, GElf_Word section, bool *is_code)
{
	GElf_Shdr header;

	*is_code = false;
	if (!elf || !gelf_getshdr(elf_getscn(elf, section), &header))
		return 0;
	*is_code = header.sh_flags & SHF_EXECINSTR;
	return header.sh_addr + header.sh_size;
}

/* Names such as $x mark kinds of bytes, they name nothing. */
static bool is_name(const char *name)
{
	return name && *name && *name != '$';
}

/* Less the version that a definition has in .symtab, as in name@GLIBC_2.2.5. */
static void strip_version(struct symbol *symbol)
{
	const char *version = strchr(symbol->name, '@');
	char *name;

	if (!version || version == symbol->name)
		return;
	name = strndup(symbol->name, (size_t)(version - symbol->name));
	if (!name)
		return;
	symbol->name = name;
	symbol->owns_name = true;
}

/* Whether the INDEX-th symbol of MODULE names some code; then it is in SYMBOL. */
static bool read_symbol(Dwfl_Module *module, int index, struct symbol *symbol)
{
	GElf_Sym sym;
	GElf_Addr value, bias;
	GElf_Word section;
	Elf *elf;
	const char *name = dwfl_module_getsym_info(module, index, &sym, &value,
						   &section, &elf, &bias);
	unsigned type = name ? GELF_ST_TYPE(sym.st_info) : STT_FILE;
	uint64_t end;
	bool is_code;

	if (!is_name(name) || type == STT_SECTION || type == STT_FILE ||
	    type == STT_TLS || section == SHN_UNDEF || section == SHN_ABS)
		return false;
	memset(symbol, 0, sizeof(*symbol));
	end = section_end(elf, section, &is_code);
	if (!is_code)
		return false;
	symbol->is_data = type == STT_OBJECT;
	symbol->value = value;
	symbol->name = name;
	symbol->sized = sym.st_size > 0;
	symbol->rank = rank_of(&sym);
	/* What is relocated has moved with its section. */
	symbol->end = symbol->sized ? value + sym.st_size :
				      value + (end - sym.st_value);
	return true;
}

static size_t underscores(const char *name)
{
	return strspn(name, "_");
}

/* By value; of aliases the best is the last. */
static int by_value(const void *left, const void *right)
{
	const struct symbol *a = left, *b = right;

	if (a->value != b->value)
		return a->value < b->value ? -1 : 1;
	if (a->is_data != b->is_data)
		return b->is_data - a->is_data;
	if (a->rank != b->rank)
		return a->rank - b->rank;
	if (a->sized != b->sized)
		return a->sized - b->sized;
	if (underscores(a->name) != underscores(b->name))
		return underscores(a->name) > underscores(b->name) ? -1 : 1;
	return strcmp(b->name, a->name);
}

/* A symbol without a size ends where the next begins. */
static void end_unsized(struct symbol_table *table)
{
	uint64_t next = UINT64_MAX, value = UINT64_MAX;

	for (size_t i = table->count; i-- > 0;) {
		struct symbol *symbol = &table->symbol[i];

		if (symbol->value != value) {
			next = value;
			value = symbol->value;
		}
		if (!symbol->sized && symbol->end > next)
			symbol->end = next;
	}
}

struct symbol_table *symbol_table_read(Dwfl_Module *module)
{
	/* Names share bytes where one ends as the other does; those of a forged table
	 * share all of them, and would take the square of its size. */
	enum { AVERAGE = 1024, LEAST = 1 << 20 };
	int count = module ? dwfl_module_getsymtab(module) : 0;
	struct symbol_table *table = calloc(1, sizeof(*table));
	size_t most = count > 0 ? (size_t)count : 0, bytes = most * AVERAGE + LEAST;

	if (!table)
		return NULL;
	table->symbol = calloc(most + 1, sizeof(*table->symbol));
	if (!table->symbol) {
		symbol_table_free(table);
		return NULL;
	}
	for (int i = 0; i < count; i++) {
		struct symbol *symbol = &table->symbol[table->count];
		size_t length;

		if (!read_symbol(module, i, symbol))
			continue;
		length = strnlen(symbol->name, bytes);
		if (length == bytes)
			break;
		bytes -= length;
		strip_version(symbol);
		table->count++;
	}
	qsort(table->symbol, table->count, sizeof(*table->symbol), by_value);
	end_unsized(table);
	return table;
}

void symbol_table_free(struct symbol_table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->count; i++)
		if (table->symbol[i].owns_name)
			free((char *)table->symbol[i].name);
	free(table->symbol);
	free(table);
}

const char *symbol_table_find(const struct symbol_table *table,
			      uint64_t address, uint64_t *offset)
{
	/* Symbols rarely nest; a search of a few below finds the one around. */
	enum { BELOW = 64 };
	size_t low = 0, high = table->count, last;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->symbol[middle].value <= address)
			low = middle + 1;
		else
			high = middle;
	}
	last = low > BELOW ? low - BELOW : 0;
	while (low-- > last) {
		const struct symbol *symbol = &table->symbol[low];

		if (!symbol->is_data && address < symbol->end) {
			*offset = address - symbol->value;
			return symbol->name;
		}
	}
	return NULL;
}
