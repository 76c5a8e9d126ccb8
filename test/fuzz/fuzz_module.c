/* SPDX-License-Identifier: MIT */
/* fuzz_module.c - any headers of a loaded library, to the walker and what names.
 *
 * A library that was loaded calls back.  Now its mapped ELF and program headers, its
 * dynamic section, tables of symbols and hashes, notes, .eh_frame_hdr and .eh_frame
 * are damaged; the stack is taken, the addresses on it and in the library are named, and
 * what was damaged is mended again.  Answers may be shorter, and all that they point to
 * can be read.
 */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <whocallme.h>

#include "core/modules/modules.h"
#include "fuzzer.h"

const char fuzz_name[] = "module";

enum { BEHIND = 8192, MOST_FRAMES = 64, MOST_CHANGES = 64, MOST_WIDTH = 256, PAGE = 4096 };

/* Leaks are looked for in all variables, and some cannot be read here. */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
	return 1;
}

/* A part of the library with entries of a size, of which fields of WIDTH bytes count. */
struct part {
	unsigned char *at;
	size_t size, entry, width;
};

static struct library {
	uintptr_t base, end; /* of its pages */
	ElfW(Phdr) *phdr;
	size_t phnum;
	ElfW(Dyn) *dynamic;
	struct part parts[16];
	size_t count;
	int (*through)(int (*call)(void *), void *data);
} library;

/* What was there before. */
static struct change {
	unsigned char *at;
	unsigned char before[MOST_WIDTH];
	size_t width;
} changes[MOST_CHANGES];
static size_t change_count;

static void add_part(uintptr_t at, size_t size, size_t entry, size_t width)
{
	if (at < library.base)
		at += library.base;
	if (size > 0 && library.count < sizeof(library.parts) / sizeof(*library.parts))
		library.parts[library.count++] =
			(struct part){ (unsigned char *)at, size, entry, width };
}

static void add_dynamic(const ElfW(Dyn) *entry)
{
	size_t strings = 0, symbols = 0;
	uintptr_t string_at = 0, symbol_at = 0;

	for (; entry->d_tag != DT_NULL; entry++)
		switch (entry->d_tag) {
		case DT_STRSZ:
			strings = entry->d_un.d_val;
			break;
		case DT_STRTAB:
			string_at = entry->d_un.d_ptr;
			break;
		case DT_SYMTAB:
			symbol_at = entry->d_un.d_ptr;
			break;
		case DT_GNU_HASH:
			add_part(entry->d_un.d_ptr, 40, 4, 4);
			break;
		case DT_HASH:
			symbols = ((uint32_t *)(entry->d_un.d_ptr))[1];
			add_part(entry->d_un.d_ptr, 16, 4, 4);
		}
	add_part(string_at, strings, 1, 1);
	add_part(symbol_at, symbols * sizeof(ElfW(Sym)), sizeof(ElfW(Sym)), 4);
}

/* Note what the library consists of, and make it writable. */
static int take(struct dl_phdr_info *info, size_t size, void *handle)
{
	const struct link_map *map = handle;
	const ElfW(Phdr) *phdr = info->dlpi_phdr;

	(void)size;
	if (info->dlpi_addr != map->l_addr)
		return 0;
	library.base = info->dlpi_addr;
	library.phdr = (ElfW(Phdr) *)phdr;
	library.phnum = info->dlpi_phnum;
	library.dynamic = map->l_ld;
	add_part(library.base, sizeof(ElfW(Ehdr)), 2, 2);
	add_part((uintptr_t)phdr, info->dlpi_phnum * sizeof(*phdr), 8, 8);
	add_part((uintptr_t)phdr, info->dlpi_phnum * sizeof(*phdr), sizeof(*phdr), 4);
	for (; phdr < info->dlpi_phdr + info->dlpi_phnum; phdr++) {
		const uintptr_t at = library.base + phdr->p_vaddr, end = at + phdr->p_memsz;

		if (phdr->p_type == PT_LOAD) {
			const uintptr_t page = at & -(uintptr_t)PAGE;

			library.end = (end + PAGE - 1) & -(uintptr_t)PAGE;
			if (mprotect((void *)page, library.end - page,
				     PROT_READ | PROT_WRITE |
				     (phdr->p_flags & PF_X ? PROT_EXEC : 0)) != 0)
				fuzz_fail("mprotect: %s", strerror(errno));
		}
		if (phdr->p_type == PT_DYNAMIC)
			add_part(at, phdr->p_memsz, 8, 8);
		if (phdr->p_type == PT_NOTE)
			add_part(at, phdr->p_memsz, 4, 4);
		if (phdr->p_type == PT_GNU_EH_FRAME) /* .eh_frame is behind it */
			add_part(at, 400, 1, 1);
	}
	return 1;
}

static void load(void)
{
	const char *path = getenv("FUZZ_LIBRARY");
	void *handle = dlopen(path ? path : THROUGH, RTLD_NOW);

	if (!handle)
		fuzz_fail("%s", dlerror());
	library.through = (int (*)(int (*)(void *), void *))(uintptr_t)dlsym(
		handle, "through_again");
	if (!library.through || !dl_iterate_phdr(take, handle))
		fuzz_fail("it is not loaded");
	library.end -= BEHIND;
	if (mprotect((void *)library.end, BEHIND, PROT_NONE) != 0)
		fuzz_fail("mprotect: %s", strerror(errno));
	add_dynamic(((struct link_map *)handle)->l_ld);
}

/* What a field may say: any number, or one that leads near somewhere. */
static uint64_t some_value(struct choices *choices, uint64_t before)
{
	switch (choose(choices, 6)) {
	case 0:
		return before + choose(choices, 64) - 32;
	case 1:
		return library.end - library.base - 32 + choose(choices, 64);
	case 2:
		return library.end - PAGE * choose(choices, 3) + choose(choices, 64) - 32;
	case 3:
		return choose(choices, 10); /* a type, a flag */
	case 4:
		return before ^ UINT64_C(1) << choose(choices, 64);
	default:
		return any_number(choices);
	}
}

/* Put SIZE bytes FROM to AT. */
static void put(void *at, const void *from, size_t size)
{
	struct change *change = &changes[change_count];

	if (change_count == MOST_CHANGES || size > MOST_WIDTH)
		return;
	change_count++;
	change->at = at;
	change->width = size;
	memcpy(change->before, at, size);
	memcpy(at, from, size);
}

static void damage_field(struct choices *choices)
{
	const struct part *part = &library.parts[choose(choices, library.count)];
	const size_t entry = choose(choices, part->size / part->entry);
	const size_t field = choose(choices, part->entry / part->width);
	unsigned char *at = part->at + entry * part->entry + field * part->width;
	uint64_t value = 0;

	memcpy(&value, at, part->width);
	value = some_value(choices, value);
	put(at, &value, part->width);
}

/* Put the first bytes of what *ADDRESS points to where the library ends, and have it
 * point there: what follows them is not mapped. */
static void move_to_edge(struct choices *choices, uintptr_t *address, uintptr_t bias)
{
	unsigned char copy[MOST_WIDTH];
	const uintptr_t from = bias + *address;
	size_t size = 1 + choose(choices, MOST_WIDTH - 1);
	uintptr_t to;

	if (from < library.base || from >= library.end - size)
		return;
	if (choose(choices, 2))
		size &= ~(size_t)3;
	memcpy(copy, (const void *)from, size);
	to = library.end - size - bias;
	put((void *)(library.end - size), copy, size);
	put(address, &to, sizeof(to));
}

static void move(struct choices *choices)
{
	ElfW(Phdr) *phdr = &library.phdr[choose(choices, library.phnum)];
	ElfW(Dyn) *entry = &library.dynamic[choose(choices, 24)];
	const uint64_t size = any_number(choices);

	for (ElfW(Dyn) *at = library.dynamic; at <= entry; at++)
		if (at->d_tag == DT_NULL)
			entry = at - 1;
	if (choose(choices, 2)) {
		move_to_edge(choices, &entry->d_un.d_ptr, 0);
		return;
	}
	move_to_edge(choices, &phdr->p_vaddr, library.base);
	if (choose(choices, 2)) {
		put(&phdr->p_filesz, &size, sizeof(size));
		put(&phdr->p_memsz, &size, sizeof(size));
	}
}

static void damage(struct choices *choices)
{
	for (size_t i = 1 + choose(choices, 6); i > 0; i--)
		if (chance(choices, 4))
			move(choices);
		else
			damage_field(choices);
}

static void mend(void)
{
	while (change_count > 0) {
		const struct change *change = &changes[--change_count];

		memcpy(change->at, change->before, change->width);
	}
}

static volatile unsigned char sum;

/* Name ADDRESS, and read all that the answer points to. */
static void name(uintptr_t address)
{
	struct wcm_symbol symbol;

	wcm_symbol_peek(address, &symbol);
	for (const char *at = symbol.name; at && *at; at++)
		sum += (unsigned char)*at;
	for (const char *at = symbol.module; at && *at; at++)
		sum += (unsigned char)*at;
	for (uint32_t i = 0; symbol.build_id && i < symbol.build_id_size; i++)
		sum += symbol.build_id[i];
}

static bool visit(const struct wcm_module *module, void *data)
{
	(void)data;
	for (uint32_t i = 0; module->build_id && i < module->build_id_size; i++)
		sum += module->build_id[i];
	return true;
}

static int called(void *data)
{
	struct choices *choices = data;
	struct wcm_frame frames[MOST_FRAMES];
	size_t count;

	damage(choices);
	count = wcm_stack_capture(frames, MOST_FRAMES, 0, NULL);
	if (count == 0)
		fuzz_fail("no stack at all");
	for (size_t i = 0; i < count && i < 6; i++)
		name(wcm_frame_site(&frames[i]));
	for (size_t i = choose(choices, 4); i > 0; i--)
		name(library.base + choose(choices, library.end - library.base));
	if (chance(choices, 4))
		wcm__modules_visit(visit, NULL);
	mend();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct choices choices = { data, data + size };

	if (!library.through)
		load();
	return library.through(called, &choices);
}
