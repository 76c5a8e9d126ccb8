/* SPDX-License-Identifier: MIT */
/* file_sleds.c - finds the NOPs of a file's functions that a trace makes calls of, or why there
 * are none.
 *
 * The compiler lists their addresses in a section.  Where the file may be loaded anywhere,
 * the addresses are in relocations that refer to no symbol, or in the section itself (RELR,
 * REL): so the section is read, and what such a relocation adds takes the place of its
 * word.  The code decides in any case, by the rules that the library has.  Calls of the
 * profiler lead to what the symbols of relocations say, or where there are no dynamic
 * symbols to functions.
 */
#include "modules/file_sleds.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <whocallme.h>

/* A list's section, while it is read. */
struct list {
	uint64_t address;
	uint64_t *word;
	size_t count, word_size;
};

enum { FRONT_MOST = 4096 /* NOPs in front of an entry that are looked at */ };

static void add_code(struct file_sleds *sleds, const GElf_Shdr *header)
{
	if (header->sh_type == SHT_PROGBITS && header->sh_flags & SHF_EXECINSTR &&
	    header->sh_flags & SHF_ALLOC && sleds->code_count < SLED_PARTS)
		sleds->code[sleds->code_count++] =
			(struct code_part){ .address = header->sh_addr,
					    .size = header->sh_size,
					    .offset = header->sh_offset };
}

/* Up to MOST bytes of the code at ADDRESS.  Returns how many there are. */
static size_t read_code(const void *of, uint64_t address, uint8_t *code, size_t most)
{
	const struct file_sleds *sleds = of;

	for (size_t i = 0; i < sleds->code_count; i++) {
		const struct code_part *part = &sleds->code[i];
		const uint64_t at = address - part->address;
		ssize_t got;

		if (address < part->address || at >= part->size)
			continue;
		if (part->size - at < most)
			most = (size_t)(part->size - at);
		got = pread(sleds->file->fd, code, most, (off_t)(part->offset + at));
		return got > 0 ? (size_t)got : 0;
	}
	return 0;
}

static uint64_t word_at(const Elf_Data *data, size_t index, size_t size)
{
	Elf32_Addr narrow;
	Elf64_Addr wide;

	if (size == sizeof(wide)) {
		memcpy(&wide, (char *)data->d_buf + index * size, size);
		return wide;
	}
	memcpy(&narrow, (char *)data->d_buf + index * size, sizeof(narrow));
	return narrow;
}

static void relocate(struct list *list, Elf_Scn *section)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Rela relocation;

	for (int i = 0; data && gelf_getrela(data, i, &relocation); i++) {
		const uint64_t at = relocation.r_offset - list->address;

		if (GELF_R_SYM(relocation.r_info) == 0 && relocation.r_offset >= list->address &&
		    at / list->word_size < list->count && at % list->word_size == 0)
			list->word[at / list->word_size] = (uint64_t)relocation.r_addend;
	}
}

/* What is in the list that HEADER describes; false: no memory. */
static bool read_words(struct list *list, Elf *elf, const GElf_Shdr *header)
{
	Elf_Scn *section = NULL;
	GElf_Shdr other;
	Elf_Data *data;

	list->word_size = gelf_fsize(elf, ELF_T_ADDR, 1, EV_CURRENT);
	list->address = header->sh_addr;
	data = elf_getdata_rawchunk(elf, (int64_t)header->sh_offset, header->sh_size,
				    ELF_T_ADDR);
	list->count = data ? data->d_size / list->word_size : 0;
	list->word = calloc(list->count + 1, sizeof(*list->word));
	if (!list->word)
		return false;
	for (size_t i = 0; i < list->count; i++)
		list->word[i] = word_at(data, i, list->word_size);
	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &other) && other.sh_type == SHT_RELA)
			relocate(list, section);
	return true;
}

static int compare(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

/* Zero is what the linker leaves of functions that it has dropped. */
static bool take_words(struct file_sleds *sleds, struct list *list)
{
	sleds->listed = list->word;
	sleds->is_named = calloc(list->count + 1, sizeof(*sleds->is_named));
	if (!sleds->is_named)
		return false;
	for (size_t i = 0; i < list->count; i++)
		if (list->word[i] != 0)
			list->word[sleds->listed_count++] = list->word[i];
	qsort(list->word, sleds->listed_count, sizeof(*list->word), compare);
	for (size_t i = 0; i < sleds->listed_count && !sleds->is_listed; i++)
		sleds->is_listed = file_sleds_listed(sleds, i).why == SLED_IS_THERE;
	return true;
}

static void read_sections(struct file_sleds *sleds, Elf *elf, GElf_Shdr *table)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	const char *name;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return;
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header))
			continue;
		add_code(sleds, &header);
		name = elf_strptr(elf, names, header.sh_name);
		if (name && header.sh_type == SHT_PROGBITS &&
		    strcmp(name, "__patchable_function_entries") == 0)
			*table = header;
	}
}

static bool is_profiler(Elf *elf, size_t strings, const GElf_Sym *symbol)
{
	const char *name = elf_strptr(elf, strings, symbol->st_name);

	return name && wcm__sled_code_profiles(name, strlen(name) + 1);
}

/* The slots that relocations in SECTION fill, of symbols of OTHERS. */
static void add_slots(struct wcm_sled_profilers *profilers, Elf *elf, Elf_Scn *section,
		      Elf_Scn *others)
{
	Elf_Data *data = elf_getdata(section, NULL), *symbols = elf_getdata(others, NULL);
	GElf_Rela relocation;
	GElf_Shdr header;
	GElf_Sym symbol;

	if (!data || !symbols || !gelf_getshdr(others, &header))
		return;
	for (int i = 0; gelf_getrela(data, i, &relocation); i++)
		if (GELF_R_SYM(relocation.r_info) > 0 &&
		    gelf_getsym(symbols, (int)GELF_R_SYM(relocation.r_info), &symbol) &&
		    symbol.st_shndx == SHN_UNDEF && is_profiler(elf, header.sh_link, &symbol))
			wcm__sled_code_add_profiler(profilers, relocation.r_offset);
}

static void add_functions(struct wcm_sled_profilers *profilers, Elf *elf, Elf_Scn *section,
			  size_t strings)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym symbol;

	for (int i = 0; data && gelf_getsym(data, i, &symbol); i++)
		if (symbol.st_shndx != SHN_UNDEF && is_profiler(elf, strings, &symbol))
			wcm__sled_code_add_profiler(profilers, symbol.st_value);
}

/* A static program's dynamic symbols are one at most, which is none. */
static void find_profilers(struct wcm_sled_profilers *profilers, Elf *elf)
{
	Elf_Scn *section = NULL, *dynamic = NULL;
	GElf_Shdr header;

	while (!dynamic && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNSYM &&
		    header.sh_size > gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT))
			dynamic = section;
	section = NULL;
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header))
			continue;
		if (dynamic && header.sh_type == SHT_RELA)
			add_slots(profilers, elf, section, dynamic);
		else if (!dynamic && header.sh_type == SHT_SYMTAB)
			add_functions(profilers, elf, section, header.sh_link);
	}
}

const char *file_sleds_read(struct file_sleds *sleds, const struct elf_file *file)
{
	GElf_Shdr table = { .sh_size = 0 };
	struct list list = { .count = 0 };
	GElf_Ehdr head;

	*sleds = (struct file_sleds){ .file = file };
	if (!gelf_getehdr(file->elf, &head) || !elf_file_is_written(file))
		return "it is damaged";
	if (head.e_type == ET_REL)
		return "it is not linked yet";
	read_sections(sleds, file->elf, &table);
	find_profilers(&sleds->profilers, file->elf);
	if (table.sh_size == 0 ||
	    (read_words(&list, file->elf, &table) && take_words(sleds, &list)))
		return NULL;
	file_sleds_free(sleds);
	return "out of memory";
}

void file_sleds_free(struct file_sleds *sleds)
{
	free(sleds->listed);
	free(sleds->is_named);
	*sleds = (struct file_sleds){ .file = NULL };
}

/* The index of the first that is listed at ADDRESS or above. */
static size_t listed_from(const struct file_sleds *sleds, uint64_t address)
{
	size_t lo = 0, hi = sleds->listed_count;

	while (lo < hi) {
		const size_t middle = lo + (hi - lo) / 2;

		if (sleds->listed[middle] < address)
			lo = middle + 1;
		else
			hi = middle;
	}
	return lo;
}

static struct function_sled make(enum no_sled why, uint64_t code_address, const uint8_t *code,
				 const struct wcm_sled_code *found)
{
	struct function_sled sled = { .why = why, .address = code_address + found->at,
				      .size = found->size, .at_entry = found->at_entry };

	if (sled.size > 0 && sled.size <= SLED_BYTES)
		memcpy(sled.code, code + found->at, sled.size);
	return sled;
}

/* Of SIZE bytes of code at ADDRESS those in front of END. */
static size_t size_to(uint64_t address, size_t size, uint64_t end)
{
	return end - address < size ? (size_t)(end - address) : size;
}

/* Where what begins at ADDRESS ends at the latest: at the next one that is listed, or at END. */
static uint64_t end_of(const struct file_sleds *sleds, uint64_t address, uint64_t end)
{
	const size_t next = listed_from(sleds, address + 1);

	return next < sleds->listed_count && sleds->listed[next] < end ? sleds->listed[next] : end;
}

static struct function_sled listed_to(const struct file_sleds *sleds, size_t index, uint64_t end)
{
	static const enum no_sled why[] = { [WCM_SLED_FOUND] = SLED_IS_THERE,
					    [WCM_SLED_NO_NOPS] = SLED_UNKNOWN,
					    [WCM_SLED_SHORT] = SLED_SHORT };
	const uint64_t address = sleds->listed[index];
	struct function_sled sled = { .why = SLED_NO_CODE };
	struct wcm_sled_code found;
	uint8_t code[SLED_BYTES];
	const size_t size = size_to(address, read_code(sleds, address, code, sizeof(code)),
				    end_of(sleds, address, end));

	if (size > 0 && !wcm__sled_code_has_port())
		sled.why = SLED_NO_PORT;
	else if (size > 0)
		sled = make(why[wcm__sled_code_listed(code, size, &found)], address, code,
			    &found);
	sled.is_listed = true;
	return sled;
}

struct function_sled file_sleds_listed(const struct file_sleds *sleds, size_t index)
{
	return listed_to(sleds, index, UINT64_MAX);
}

/* How many bytes of NOPs reach from one that is listed to ADDRESS, a function's, which then
 * has it. */
static size_t in_front(struct file_sleds *sleds, uint64_t address)
{
	const size_t next = listed_from(sleds, address);
	uint8_t code[FRONT_MOST];
	uint64_t size;

	if (next == 0)
		return 0;
	size = address - sleds->listed[next - 1];
	if (size > FRONT_MOST || read_code(sleds, address - size, code, (size_t)size) != size ||
	    !wcm__sled_code_is_nops(code, (size_t)size))
		return 0;
	sleds->is_named[next - 1] = true;
	return (size_t)size;
}

static enum no_sled why_not(const struct wcm_sled_code *found, uint32_t flags)
{
	return flags & WCM_SYMBOL_PLT   ? SLED_PLT :
	       flags & (WCM_SYMBOL_COLD | WCM_SYMBOL_PART) ? SLED_COLD :
	       flags & WCM_SYMBOL_IFUNC ? SLED_IFUNC :
	       found->size > 0          ? SLED_SHORT :
					  SLED_NO_NOPS;
}

/* The one that is in front of the function at ADDRESS, as FRONT bytes of NOPs are, but for a
 * jump to it; false: there is none. */
static bool read_front(const struct file_sleds *sleds, uint64_t address, size_t front,
		       struct function_sled *sled)
{
	uint8_t code[2 * SLED_BYTES];
	struct wcm_sled_front found;
	size_t size;

	if (front > SLED_BYTES)
		front = SLED_BYTES;
	size = read_code(sleds, address - front, code, sizeof(code));
	if (size < front || wcm__sled_code_front(code + front, front, size - front, &found) !=
				    WCM_SLED_FOUND)
		return false;
	*sled = (struct function_sled){ .why = SLED_IS_THERE, .address = address - found.at,
					.size = found.size, .at_entry = true, .is_front = true,
					.is_listed = true };
	memcpy(sled->code, code + front - found.at, found.size);
	return true;
}

/* That of one which the compiler does not list at its entry. */
static struct function_sled by_code(struct file_sleds *sleds, uint64_t address, uint32_t flags,
				    const uint8_t *code, size_t size)
{
	const uint32_t others = WCM_SYMBOL_PLT | WCM_SYMBOL_COLD | WCM_SYMBOL_PART |
				WCM_SYMBOL_IFUNC;
	const size_t front = in_front(sleds, address);
	struct wcm_sled_code found;
	struct function_sled sled;

	if ((wcm__sled_code_named(code, size, sleds->is_listed, &found) == WCM_SLED_FOUND ||
	     wcm__sled_code_call(code, size, address, &sleds->profilers, read_code, sleds,
				 &found) == WCM_SLED_FOUND) &&
	    !(flags & others))
		return make(SLED_IS_THERE, address, code, &found);
	if (front > 0 && !(flags & others) && read_front(sleds, address, front, &sled))
		return sled;
	sled = make(why_not(&found, flags), address, code, &found);
	if (sled.why == SLED_NO_NOPS && front > 0)
		sled = (struct function_sled){ .why = SLED_IN_FRONT, .is_listed = true,
					       .address = address - front, .size = front };
	return sled;
}

struct function_sled file_sleds_of(struct file_sleds *sleds, uint64_t address, uint64_t next,
				   uint32_t flags)
{
	uint8_t code[WCM_SLED_CODE];
	const size_t read = read_code(sleds, address, code, sizeof(code));
	const size_t landing = wcm__sled_code_landing(code, read);
	const size_t size = size_to(address, read, end_of(sleds, address + landing, next));
	const size_t at = listed_from(sleds, address);

	if (size == 0)
		return (struct function_sled){ .why = SLED_NO_CODE };
	if (!wcm__sled_code_has_port())
		return (struct function_sled){ .why = SLED_NO_PORT };
	if (at == sleds->listed_count ||
	    (sleds->listed[at] != address && sleds->listed[at] != address + landing))
		return by_code(sleds, address, flags, code, size);
	sleds->is_named[at] = true;
	if (flags & WCM_SYMBOL_IFUNC)
		return (struct function_sled){ .why = SLED_IFUNC, .is_listed = true };
	return listed_to(sleds, at, next);
}
