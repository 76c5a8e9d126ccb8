/* SPDX-License-Identifier: MIT */
/* tracee.c - memory and modules of the program that is stepped. */
#include "tracee.h"

#include <elf.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/modules/module_read.h"
#include "core/modules/modules.h"
#include "core/os/read.h"
#include "whocallme/symbol.h"

enum { PAGES = 4096, MAPPINGS = 512, MODULES = 64, PATH = 256 };

struct page {
	uintptr_t address;
	uint64_t step, epoch; /* when it was read */
	bool constant, readable;
	unsigned char bytes[WCM_PAGE];
};

struct mapping {
	uintptr_t lo, hi, offset;
	bool readable, writable;
	char path[PATH];
};

struct module {
	struct wcm_module map;
	char path[PATH];
	bool permanent;
};

static struct page pages[PAGES];
static struct mapping mappings[MAPPINGS];
static struct module modules[MODULES];
static size_t mapping_count, module_count;
static uint64_t step = 1, epoch = 1; /* epoch: of the mappings */
static struct tracee_access access;
static pid_t tracee;
static const unsigned char *context;
static size_t context_size;

void tracee_moved(void)
{
	step++;
}

pid_t tracee_id(void)
{
	return tracee;
}

void tracee_set_context(const void *bytes, size_t size)
{
	context = bytes;
	context_size = size;
}

static const struct mapping *find_mapping(uintptr_t addr)
{
	size_t lo = 0, hi = mapping_count;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (mappings[mid].hi <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < mapping_count && mappings[lo].lo <= addr ? &mappings[lo]
							     : NULL;
}

static const struct page *get_page(uintptr_t address)
{
	struct page *page = &pages[address / WCM_PAGE % PAGES];
	const struct mapping *mapping;

	if (page->address == address && page->epoch == epoch &&
	    (page->constant || page->step == step))
		return page;
	mapping = find_mapping(address);
	page->address = address;
	page->epoch = epoch;
	page->step = step;
	page->constant = mapping && !mapping->writable;
	page->readable = access.fetch(tracee, address, page->bytes, WCM_PAGE);
	return page;
}

size_t tracee_read(uintptr_t addr, void *buf, size_t size)
{
	unsigned char *to = buf;
	size_t done = 0;

	while (done < size) {
		uintptr_t at = addr + done, offset = at % WCM_PAGE;
		const struct page *page = get_page(at - offset);
		size_t part = WCM_PAGE - offset;

		if (!page->readable)
			break;
		if (part > size - done)
			part = size - done;
		memcpy(to + done, page->bytes + offset, part);
		done += part;
	}
	return done;
}

uintptr_t tracee_word(uintptr_t addr)
{
	uintptr_t word = 0;

	tracee_read(addr, &word, sizeof(word));
	return word;
}

bool wcm__read_memory(uintptr_t addr, void *buf, size_t size)
{
	if (addr >= TRACEE_CONTEXT) {
		uintptr_t offset = addr - TRACEE_CONTEXT;

		if (offset > context_size || context_size - offset < size)
			return false;
		memcpy(buf, context + offset, size);
		return true;
	}
	return tracee_read(addr, buf, size) == size;
}

bool wcm__read_code(uintptr_t addr, void *buf, size_t size)
{
	return wcm__read_memory(addr, buf, size);
}

bool wcm__read_table(uintptr_t addr, void *buf, size_t size)
{
	return wcm__read_memory(addr, buf, size);
}

static void read_mappings(void)
{
	char path[64], line[1024];
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)tracee);
	maps = fopen(path, "re");
	mapping_count = 0;
	while (maps && mapping_count < MAPPINGS &&
	       fgets(line, sizeof(line), maps)) {
		struct mapping *mapping = &mappings[mapping_count++];
		char flags[8] = "";

		mapping->path[0] = '\0';
		sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %7s %" SCNxPTR " %*s %*s %255[^\n]",
		       &mapping->lo, &mapping->hi, flags, &mapping->offset, mapping->path);
		mapping->readable = flags[0] == 'r';
		mapping->writable = flags[1] == 'w';
		if (mapping->lo >= access.end)
			mapping_count--;
	}
	if (maps)
		fclose(maps);
}

static bool was_permanent(const struct module *old, size_t count,
			  const struct module *module)
{
	for (size_t i = 0; i < count; i++)
		if (old[i].map.lo == module->map.lo &&
		    strcmp(old[i].path, module->path) == 0)
			return old[i].permanent;
	return false;
}

static void find_modules(void)
{
	static struct module old[MODULES];
	size_t old_count = module_count;

	memcpy(old, modules, sizeof(old));
	module_count = 0;
	for (size_t i = 0; i < mapping_count && module_count < MODULES; i++) {
		struct module *module = &modules[module_count];

		if (mappings[i].offset != 0 || mappings[i].path[0] == '\0' ||
		    !wcm__module_describe_image(&module->map, mappings[i].lo,
						module->path))
			continue;
		memcpy(module->path, mappings[i].path, PATH);
		module->permanent = was_permanent(old, old_count, module);
		module_count++;
	}
}

void tracee_remapped(void)
{
	epoch++;
	read_mappings();
	find_modules();
}

void tracee_attach(pid_t pid, const struct tracee_access *by)
{
	tracee = pid;
	access = *by;
	module_count = 0;
	tracee_remapped();
}

size_t tracee_auxv(void *auxv, size_t size)
{
	return access.auxv(tracee, auxv, size);
}

uintptr_t tracee_entry(void)
{
	ElfW(auxv_t) auxv[64];
	size_t count = tracee_auxv(auxv, sizeof(auxv)) / sizeof(*auxv);

	for (size_t i = 0; i < count; i++)
		if (auxv[i].a_type == AT_ENTRY)
			return auxv[i].a_un.a_val;
	return 0;
}

void tracee_settled(void)
{
	for (size_t i = 0; i < module_count; i++)
		modules[i].permanent = true;
}

static const struct module *find_module(uintptr_t pc)
{
	for (size_t i = 0; i < module_count; i++)
		if (pc >= modules[i].map.lo && pc < modules[i].map.hi)
			return &modules[i];
	return NULL;
}

bool wcm__modules_hold_code(uintptr_t address, size_t size)
{
	return tracee_is_code(address) && tracee_is_code(address + size - 1);
}

bool wcm__module_find_mapped(struct wcm_module *module, uintptr_t address)
{
	(void)module, (void)address;
	return false;
}

const struct wcm_known_module *wcm__modules_find_loaded(uintptr_t address)
{
	(void)address;
	return NULL;
}

enum wcm_status wcm_symbol_peek(uintptr_t address, struct wcm_symbol *symbol)
{
	(void)address, (void)symbol;
	return WCM_ENOSYMS;
}

static bool find_unwind(struct wcm_unwind_table *table, uintptr_t pc, bool permanent)
{
	const struct module *module = find_module(pc);

	if (!module || module->permanent != permanent)
		return false;
	*table = module->map.unwind;
	return true;
}

bool wcm__modules_find_lasting_unwind(struct wcm_unwind_table *table, uintptr_t pc)
{
	return find_unwind(table, pc, true);
}

bool wcm__modules_find_unloadable_unwind(struct wcm_unwind_table *table, uintptr_t pc,
					 const struct wcm_hold *hold)
{
	(void)hold;
	return find_unwind(table, pc, false);
}

const char *tracee_module(uintptr_t pc, uintptr_t *offset)
{
	const struct module *module = find_module(pc);

	*offset = module ? pc - module->map.bias : pc;
	return module ? module->path : NULL;
}

bool tracee_is_outside(uintptr_t addr)
{
	return addr >= access.end;
}

bool tracee_is_code(uintptr_t addr)
{
	const struct mapping *mapping = find_mapping(addr);

	return mapping && mapping->readable && !mapping->writable;
}

bool tracee_same_stack(uintptr_t a, uintptr_t b)
{
	const uintptr_t largest = 8 << 20;
	/* A stack that is empty is at its end. */
	const struct mapping *mapping = find_mapping(a - 1), *other;
	const struct mapping *last = &mappings[mapping_count - 1];

	/* The main stack grows without a word. */
	while (last > mappings && strcmp(last->path, "[stack]") != 0)
		last--;
	if (a < last->hi && b < last->hi && last->hi - a < largest &&
	    last->hi - b < largest)
		return true;
	other = find_mapping(b - 1);
	return mapping && mapping == other;
}
