/* SPDX-License-Identifier: MIT */
/* binary.c - all that is known of an address in the module of a path or build-id. */
#include "debug/binary.h"

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "debug/span.h"
#include "modules/module_files.h"

/* Finds the name of an address in a module's symbol tables. */

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

static void symbol_table_free(struct symbol_table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->count; i++)
		if (table->symbol[i].owns_name)
			free((char *)table->symbol[i].name);
	free(table->symbol);
	free(table);
}

/* All that MODULE has, in its file, its debug file and .gnu_debugdata.  NULL when
 * out of memory.  Names live as long as MODULE. */
static struct symbol_table *symbol_table_read(Dwfl_Module *module)
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

/* The function at ADDRESS, and how far into it that is; NULL where none is. */
static const char *symbol_table_find(const struct symbol_table *table,
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

struct binary {
	struct binary *next; /* used longer ago */
	char *path;          /* as it was asked for, as WANTED is */
	struct build_id wanted;
	bool is_tagged;
	uint64_t tag;        /* of the file at PATH */
	struct module_files files;
	struct spans text;
	uint64_t shift; /* a module's address less that of the request */
	struct units *units;
	struct symbol_table *symbols; /* NULL before the first is asked for */
	bool missing_said;
};

struct binaries {
	struct debug_folders folders;
	size_t most;
	struct binary *first; /* the last used */
	struct binary none;   /* for want of memory */
};

/* What elfutils takes for damaged data is not in proportion to the file: it gets half of
 * the machine's memory, if a sanitizer has not taken more already. */
static void limit_memory(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	const rlim_t page = (rlim_t)sysconf(_SC_PAGESIZE);
	const rlim_t half = (rlim_t)sysconf(_SC_PHYS_PAGES) / 2;
	unsigned long used = 0;
	struct rlimit limit;

	if (!file)
		return;
	if (fscanf(file, "%*u %*u %*u %*u %*u %lu", &used) == 1 && used < half &&
	    getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur > half * page) {
		limit.rlim_cur = half * page;
		setrlimit(RLIMIT_DATA, &limit);
	}
	fclose(file);
}

struct binaries *binaries_new(const char *debug_dirs, size_t most)
{
	struct binaries *binaries = calloc(1, sizeof(*binaries));

	if (!binaries)
		return NULL;
	if (!debug_folders_init(&binaries->folders,
				debug_dirs ? debug_dirs : DEBUG_DIR)) {
		free(binaries);
		return NULL;
	}
	binaries->most = most;
	limit_memory();
	return binaries;
}

void binaries_set_running(struct binaries *binaries, const char *file)
{
	free(binaries->folders.running);
	binaries->folders.running = strdup(file);
}

static void close_binary(struct binary *binary)
{
	units_free(binary->units);
	symbol_table_free(binary->symbols);
	spans_free(&binary->text);
	module_files_close(&binary->files);
	free(binary->path);
	free(binary);
}

void binaries_free(struct binaries *binaries)
{
	if (!binaries)
		return;
	while (binaries->first) {
		struct binary *binary = binaries->first;

		binaries->first = binary->next;
		close_binary(binary);
	}
	debug_folders_free(&binaries->folders);
	free(binaries);
}

/* Where ELF has code, in the numbering of debug data, which is BIAS less. */
static void read_text(struct binary *binary, Elf *elf, uint64_t bias)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr section;
	GElf_Phdr segment;
	size_t count = 0;

	while ((scn = elf_nextscn(elf, scn))) {
		if (gelf_getshdr(scn, &section) &&
		    (section.sh_flags & SHF_EXECINSTR))
			spans_add(&binary->text, section.sh_addr + bias,
				  section.sh_addr + bias + section.sh_size, 0);
	}
	if (binary->text.count == 0 && elf_getphdrnum(elf, &count) != 0)
		count = 0;
	for (size_t i = 0; i < count; i++) {
		if (gelf_getphdr(elf, (int)i, &segment) &&
		    segment.p_type == PT_LOAD && (segment.p_flags & PF_X))
			spans_add(&binary->text, segment.p_vaddr + bias,
				  segment.p_vaddr + bias + segment.p_memsz, 0);
	}
	spans_settle(&binary->text);
}

/* An object file that is not linked has no addresses: requests are about its
 * .text, which libdwfl has put somewhere. */
static uint64_t text_of_object(Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr section;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return 0;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name =
			gelf_getshdr(scn, &section) ?
				elf_strptr(elf, names, section.sh_name) :
				NULL;

		if (name && strcmp(name, ".text") == 0)
			return section.sh_addr;
	}
	return 0;
}

static void read_binary(struct binary *binary)
{
	struct module_files *files = &binary->files;
	GElf_Addr bias = 0;
	GElf_Ehdr header;
	Elf *elf = dwfl_module_getelf(files->module, &bias);

	if (!elf)
		return;
	/* Module addresses are those of the file plus BIAS. */
	binary->shift = bias;
	if (gelf_getehdr(elf, &header) && header.e_type == ET_REL)
		binary->shift += text_of_object(elf);
	read_text(binary, elf, bias - files->bias);
	if (files->dwarf)
		binary->units = units_new(files->dwarf, &binary->text, &files->split);
}

static struct binary *open_binary(struct binaries *binaries, const char *path,
				  const struct build_id *wanted, const uint64_t *tag)
{
	struct binary *binary = calloc(1, sizeof(*binary));

	if (!binary)
		return NULL;
	binary->wanted = *wanted;
	binary->is_tagged = tag != NULL;
	binary->tag = tag ? *tag : 0;
	if (path && !(binary->path = strdup(path))) {
		free(binary);
		return NULL;
	}
	module_files_open(&binary->files, &binaries->folders, path, wanted, tag);
	if (binary->files.module)
		read_binary(binary);
	return binary;
}

static bool is_same(const struct binary *binary, const char *path,
		    const struct build_id *wanted, const uint64_t *tag)
{
	if (binary->is_tagged != (tag != NULL) || (tag && binary->tag != *tag) ||
	    !binary->path != !path || binary->wanted.size != wanted->size)
		return false;
	return (!path || strcmp(binary->path, path) == 0) &&
	       build_id_is(&binary->wanted, wanted);
}

/* Close those that are more than there may be. */
static void close_oldest(struct binaries *binaries)
{
	struct binary **link = &binaries->first;

	for (size_t i = 0; binaries->most > 0 && i < binaries->most && *link;
	     i++)
		link = &(*link)->next;
	while (binaries->most > 0 && *link) {
		struct binary *oldest = *link;

		*link = oldest->next;
		close_binary(oldest);
	}
}

static struct binary *open_any(struct binaries *binaries, const char *path,
			       const struct build_id *wanted, const uint64_t *tag)
{
	struct binary **link = &binaries->first, *binary;

	while (*link && !is_same(*link, path, wanted, tag))
		link = &(*link)->next;
	binary = *link;
	if (binary)
		*link = binary->next;
	else
		binary = open_binary(binaries, path, wanted, tag);
	if (!binary)
		return &binaries->none;
	binary->next = binaries->first;
	binaries->first = binary;
	close_oldest(binaries);
	return binary;
}

struct binary *binaries_open(struct binaries *binaries, const char *path,
			     const uint8_t *build_id, size_t size)
{
	const struct build_id wanted = build_id_make(build_id, build_id ? size : 0);

	return open_any(binaries, path, &wanted, NULL);
}

struct binary *binaries_open_tagged(struct binaries *binaries, const char *path, uint64_t tag)
{
	static const struct build_id none;

	return open_any(binaries, path, &none, &tag);
}

const char *binary_complaint(const struct binary *binary)
{
	return binary->files.complaint;
}

const char *binary_missing(const struct binary *binary)
{
	return binary->files.missing;
}

bool binary_has_file(const struct binary *binary)
{
	return binary->files.module != NULL;
}

static struct symbol_table *symbols_of(struct binary *binary)
{
	GElf_Addr bias;
	Elf *elf;

	if (binary->symbols)
		return binary->symbols;
	elf = dwfl_module_getelf(binary->files.module, &bias);
	if (elf && !packed_symbols_are_sound(elf)) {
		module_files_complain(&binary->files, "its .gnu_debugdata is damaged: no "
				      "names are read of it");
		binary->symbols = symbol_table_read(NULL);
	} else {
		binary->symbols = symbol_table_read(binary->files.module);
	}
	return binary->symbols;
}

/* Debug data is there, but part of it is in a file that is not. */
static void say_missing(struct binary *binary)
{
	const char *missing = binary->units ? units_missing(binary->units) : NULL;

	if (!missing || binary->missing_said)
		return;
	binary->missing_said = true;
	module_files_complain(&binary->files, "%s", missing);
}

/* What the symbol table knows better: a name where debug data has none, the mangled
 * one where it has that of the source alone, the offset where there is no line. */
static void add_symbol(struct binary *binary, uint64_t at, bool mangled,
		       struct location *location)
{
	bool plain = mangled && location->function &&
		     strncmp(location->function, "_Z", 2) != 0;
	struct symbol_table *symbols;
	uint64_t offset = 0;
	const char *name;

	if (location->function && location->file && !plain)
		return;
	symbols = symbols_of(binary);
	name = symbols ? symbol_table_find(symbols, at, &offset) : NULL;
	if (name && (!location->function || strncmp(name, "_Z", 2) == 0))
		location->function = name;
	if (!location->file)
		location->offset = offset;
}

void binary_find(struct binary *binary, uint64_t address,
		 struct locations *locations)
{
	uint64_t at = address + binary->shift;
	bool mangled = false;

	locations->count = 0;
	if (binary->units &&
	    units_find(binary->units, at - binary->files.bias, locations))
		mangled = units_mangled(binary->units);
	say_missing(binary);
	for (size_t i = 0; i < locations->count; i++)
		locations->location[i].made = binary->files.made;
	if (locations->count > 0 || locations_add(locations))
		add_symbol(binary, at, mangled,
			   &locations->location[locations->count - 1]);
}

bool binary_may_begin(struct binary *binary, uint64_t address)
{
	struct symbol_table *symbols = symbols_of(binary);
	uint64_t offset = 0;

	if (symbols)
		symbol_table_find(symbols, address + binary->shift, &offset);
	return offset == 0;
}

const uint8_t *binary_build_id(const struct binary *binary, size_t *size)
{
	*size = binary->files.build_id.size;
	return binary->files.build_id.byte;
}
