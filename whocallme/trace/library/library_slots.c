/* SPDX-License-Identifier: MIT */
/* library_slots.c (SAFE) - finds the words by which a module calls others.
 *
 * Those of the PLT are only ever called.  Others, which code that was built with -fno-plt calls
 * by, may be compared and handed on as well: they count if all that refers to them are calls.
 * What comes of such a word is not looked for in the code where nothing refers to it.
 */
#include "trace/library/library_slots.h"

#include "core/arch/arch.h"
#include "core/os/memory.h"
#include "core/os/read.h"

/* The dynamic linker relocates these values in some objects only. */
static uintptr_t relocated(const struct wcm_module *module, uintptr_t value)
{
	return value >= module->lo && value < module->hi ? value : value + module->bias;
}

static const ElfW(Phdr) *header(const struct wcm_module *module, ElfW(Word) type)
{
	for (uint32_t i = 0; i < module->phnum; i++)
		if (module->phdr[i].p_type == type)
			return &module->phdr[i];
	return NULL;
}

/* Whole pages alone are protected (glibc, _dl_protect_relro()). */
static void find_relro(const struct wcm_module *module, struct wcm_library_tables *tables)
{
	const ElfW(Phdr) *relro = header(module, PT_GNU_RELRO);

	if (!relro)
		return;
	tables->relro_lo = (module->bias + relro->p_vaddr) & ~(uintptr_t)(WCM_PAGE - 1);
	tables->relro_hi = (module->bias + relro->p_vaddr + relro->p_memsz) &
			   ~(uintptr_t)(WCM_PAGE - 1);
}

struct sizes {
	size_t calls, data;
	ElfW(Xword) kind; /* DT_REL or DT_RELA */
};

static void note(const struct wcm_module *module, const ElfW(Dyn) *entry,
		 struct wcm_library_tables *tables, struct sizes *sizes)
{
	const uintptr_t at = relocated(module, entry->d_un.d_ptr);

	switch (entry->d_tag) {
	case DT_JMPREL:
		tables->calls = (const ElfW(Rela) *)at;
		break;
	case DT_PLTRELSZ:
		sizes->calls = entry->d_un.d_val;
		break;
	case DT_PLTREL:
		sizes->kind = entry->d_un.d_val;
		break;
	case DT_RELA:
		tables->data = (const ElfW(Rela) *)at;
		break;
	case DT_RELASZ:
		sizes->data = entry->d_un.d_val;
		break;
	case DT_PLTGOT:
		tables->got = (uintptr_t *)at;
		break;
	default:
		break;
	}
}

static size_t count(const struct wcm_module *module, const ElfW(Rela) *table, size_t size)
{
	const uintptr_t at = (uintptr_t)table;

	return at >= module->lo && at < module->hi && size <= module->hi - at ?
		       size / sizeof(*table) : 0;
}

bool wcm__library_tables(const struct wcm_module *module, struct wcm_library_tables *tables)
{
	const ElfW(Phdr) *dynamic = header(module, PT_DYNAMIC);
	struct sizes sizes = { .kind = DT_RELA };
	const ElfW(Dyn) *entry;

	*tables = (struct wcm_library_tables){ 0 };
	if (WCM_LIBRARY_STUB == 0 || !dynamic)
		return false;
	entry = (const ElfW(Dyn) *)(module->bias + dynamic->p_vaddr);
	for (size_t i = 0; i < dynamic->p_memsz / sizeof(*entry) && entry[i].d_tag; i++)
		note(module, &entry[i], tables, &sizes);
	if (sizes.kind == DT_RELA)
		tables->calls_count = count(module, tables->calls, sizes.calls);
	tables->data_count = count(module, tables->data, sizes.data);
	find_relro(module, tables);
	return tables->calls_count + tables->data_count > 0;
}

/* The name of what RELOCATION, one of TYPE, refers to; NULL: it is of another type, or no
 * function of another module's. */
static const char *function_of(const struct wcm_module *module, const ElfW(Rela) *relocation,
			       uint32_t type)
{
	const struct wcm_dynsym *dynsym = &module->dynsym;
	const size_t number = ELF64_R_SYM(relocation->r_info);
	const ElfW(Sym) *symbol;
	int kind;

	if (ELF64_R_TYPE(relocation->r_info) != type || number == 0 || number >= dynsym->count)
		return NULL;
	symbol = &dynsym->symbols[number];
	kind = ELF64_ST_TYPE(symbol->st_info);
	if ((kind != STT_FUNC && kind != STT_NOTYPE && kind != STT_GNU_IFUNC) ||
	    symbol->st_name == 0 || symbol->st_name >= dynsym->strings_size)
		return NULL;
	return dynsym->strings + symbol->st_name;
}

static bool add(const struct wcm_module *module, struct wcm_library_slot *slot,
		const ElfW(Rela) *relocation, const char *name)
{
	const uintptr_t at = module->bias + relocation->r_offset;

	if (at < module->lo || at >= module->hi || at % sizeof(uintptr_t) != 0)
		return false;
	*slot = (struct wcm_library_slot){ .at = at, .relocation = relocation, .name = name };
	return true;
}

/* Linkers write them in order, nearly. */
static void sort(struct wcm_library_slot *slot, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		const struct wcm_library_slot moved = slot[i];
		size_t to = i;

		for (; to > 0 && slot[to - 1].at > moved.at; to--)
			slot[to] = slot[to - 1];
		slot[to] = moved;
	}
}

/* Which of the words from LO on all code refers to by calls alone. */
struct references {
	uintptr_t lo, hi;
	uint8_t *seen; /* of each word */
};

enum { CALLED = 1, TAKEN = 2 };

static void scan(const uint8_t *code, const uint8_t *end, const struct references *words)
{
	uintptr_t to;
	bool calls;

	for (code += 2; code + 4 <= end; code++)
		if (wcm__arch_library_reference(code, &to, &calls) && to - words->lo <
		    words->hi - words->lo && (to - words->lo) % sizeof(uintptr_t) == 0)
			words->seen[(to - words->lo) / sizeof(uintptr_t)] |=
				calls ? CALLED : TAKEN;
}

static void scan_segments(const struct wcm_module *module, const struct references *words)
{
	for (uint32_t i = 0; i < module->phnum; i++) {
		const ElfW(Phdr) *segment = &module->phdr[i];
		const uint8_t *code = (const uint8_t *)(module->bias + segment->p_vaddr);

		if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X) &&
		    (segment->p_flags & PF_R))
			scan(code, code + segment->p_filesz, words);
	}
}

/* Of COUNT slots, those that are only called. */
static size_t keep_called(const struct wcm_module *module, struct wcm_library_slot *slot,
			  size_t count)
{
	struct references words;
	size_t kept = 0, size;

	if (count == 0)
		return 0;
	words.lo = slot[0].at;
	words.hi = slot[count - 1].at + sizeof(uintptr_t);
	size = (words.hi - words.lo) / sizeof(uintptr_t);
	words.seen = wcm__map(size);
	if (!words.seen)
		return 0;
	scan_segments(module, &words);
	for (size_t i = 0; i < count; i++)
		if (words.seen[(slot[i].at - words.lo) / sizeof(uintptr_t)] == CALLED)
			slot[kept++] = slot[i];
	wcm__unmap(words.seen, size);
	return kept;
}

size_t wcm__library_slots(const struct wcm_module *module,
			  const struct wcm_library_tables *tables,
			  struct wcm_library_slot *slot)
{
	size_t taken = 0, all;
	const char *name;

	for (size_t i = 0; i < tables->data_count; i++)
		if ((name = function_of(module, &tables->data[i], WCM_RELOCATES_TAKEN)))
			taken += add(module, &slot[taken], &tables->data[i], name);
	sort(slot, taken);
	all = taken = keep_called(module, slot, taken);
	for (size_t i = 0; i < tables->calls_count; i++) {
		name = function_of(module, &tables->calls[i], WCM_RELOCATES_CALLED);
		if (!name || !add(module, &slot[all], &tables->calls[i], name))
			continue;
		slot[all].is_lazy = true;
		slot[all++].number = (uint32_t)i;
	}
	sort(slot, all);
	return all;
}
