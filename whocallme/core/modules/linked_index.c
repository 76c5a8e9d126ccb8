/* SPDX-License-Identifier: MIT */
/* linked_index.c (SAFE) - finds the module at an address in libc's own index (glibc from 2.35
 * on).
 *
 * _dl_find_object(3) does so without a lock.  Its tables are the linker's own, and
 * those of what dlopen(3) has loaded are on the heap: a broken program may have written
 * over them.
 */
#include "core/modules/linked.h"

#include <dlfcn.h>
#include <string.h>

#include "core/modules/epoch.h"
#include "core/modules/headers.h"
#include "core/os/attempt.h"
#include "core/os/auxv.h"
#include "core/os/read.h"

int (*wcm__linked_find_object)(void *, struct dl_find_object *) = _dl_find_object;

/* A program may define a function of that name, which hooks would enter themselves: the dynamic
 * linker's own is in its table.  Where the kernel has loaded no linker, the name leads to it. */
void wcm__linked_prepare(void)
{
	const uintptr_t base = wcm__auxv(AT_BASE);
	struct wcm_module linker;
	uint64_t value;

	if (base && wcm__module_describe_image(&linker, base, "") &&
	    wcm__dynsym_value(&linker.dynsym, "_dl_find_object", &value))
		__atomic_store_n(&wcm__linked_find_object,
				 (int (*)(void *, struct dl_find_object *))
				 (base + (uintptr_t)value), __ATOMIC_RELAXED);
}

struct search {
	uintptr_t address;
	struct dl_find_object *found;
	bool is_found;
};

/* Under wcm__attempt_within(), as it may meet a fault: then the answer is that no module is
 * there. */
static void look(void *argument)
{
	struct search *search = argument;

	search->is_found =
		wcm__linked_find_object((void *)search->address, search->found) == 0;
}

static bool find(uintptr_t address, struct dl_find_object *found)
{
	struct search search = { address, found, false };

	return wcm__attempt_within(look, &search) && search.is_found;
}

/* The link map is on the heap of a program that may have broken it; only the path is taken from
 * there.  The image itself, and its bounds, are described from its own headers. */
bool wcm__linked_find(struct wcm_module *module, uintptr_t address)
{
	struct dl_find_object found;
	struct link_map map; /* copied: another thread may be unloading it */

	return find(address, &found) &&
	       wcm__read_memory((uintptr_t)found.dlfo_link_map, &map,
				sizeof(map)) &&
	       wcm__module_describe_image(module, (uintptr_t)found.dlfo_map_start,
					  wcm__module_path(map.l_name)) &&
	       address >= module->lo && address < module->hi;
}

bool wcm__linked_find_bounds(uintptr_t address, uintptr_t *lo, uintptr_t *hi)
{
	struct dl_find_object found;

	if (!find(address, &found))
		return false;
	*lo = (uintptr_t)found.dlfo_map_start;
	*hi = (uintptr_t)found.dlfo_map_end;
	return true;
}

/* What was found of a module, for as long as nothing is unloaded.  The sequence is odd
 * while somebody writes; who meets that does without. */
struct met {
	uint32_t sequence;
	bool told; /* its table may be held */
	uint64_t unloadings;
	uintptr_t start; /* where the module is mapped */
	uintptr_t lo, hi; /* the segment that holds its frame descriptions */
};

enum { MET_BITS = 8 };
static struct met met[1 << MET_BITS];

/* Two modules may share an entry; the later one wins, and the other is found anew.  The high
 * bits of the product depend on all of the page's number. */
static struct met *met_at(uintptr_t start)
{
	const uint64_t mixed = start / WCM_PAGE * UINT64_C(0x9e3779b97f4a7c15);

	return &met[mixed >> (64 - MET_BITS)];
}

/* A seqlock's reader: the copy counts only if the sequence was even and is the same behind it.
 * Never a loop, as the writer may be the code that a signal has interrupted here. */
static bool recall(struct met *copy, uintptr_t start, uint64_t unloadings)
{
	const struct met *at = met_at(start);
	const uint32_t sequence = __atomic_load_n(&at->sequence, __ATOMIC_ACQUIRE);

	*copy = *(const volatile struct met *)at;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return sequence % 2 == 0 &&
	       __atomic_load_n(&at->sequence, __ATOMIC_RELAXED) == sequence &&
	       copy->start == start && copy->unloadings == unloadings;
}

/* The exchange makes it odd, and is what keeps other writers out.  A thread that dies in between
 * leaves it odd for good: then the entry is used no more. */
static void remember(const struct met *new)
{
	struct met *at = met_at(new->start);
	uint32_t sequence = __atomic_load_n(&at->sequence, __ATOMIC_RELAXED);

	if (sequence % 2 != 0 ||
	    !__atomic_compare_exchange_n(&at->sequence, &sequence, sequence + 1, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	__atomic_thread_fence(__ATOMIC_RELEASE);
	at->told = new->told;
	at->unloadings = new->unloadings;
	at->start = new->start;
	at->lo = new->lo;
	at->hi = new->hi;
	__atomic_store_n(&at->sequence, sequence + 2, __ATOMIC_RELEASE);
}

/* libc unloads its converters of characters by itself. */
static bool is_converter(const char *path)
{
	static const char folder[] = "/gconv/";
	char copy[WCM_PAGE / 4];
	size_t length;

	if (!wcm__read_string((uintptr_t)path, copy, sizeof(copy), &length))
		return true;
	for (const char *at = copy; *at; at++) {
		size_t same = 0;

		while (folder[same] && at[same] == folder[same])
			same++;
		if (!folder[same])
			return true;
	}
	return false;
}

/* A table is held only if its unloading would be told. libc's own unloadings are not, nor those
 * in another namespace of dlmopen(3), whose libc has a dlclose(3) of its own. */
bool wcm__linked_is_told(const char *path)
{
	return !is_converter(path) && !wcm__linked_has_namespaces();
}

/* The segment that holds what FOUND says of the module's frame descriptions, which is
 * mapped; by the headers in its first page. */
static bool find_segment(struct met *now, const struct dl_find_object *found,
			 const struct link_map *map)
{
	const uintptr_t start = (uintptr_t)found->dlfo_map_start;
	const ElfW(Phdr) *segment;
	struct wcm_headers headers;
	ElfW(Ehdr) head;

	if (!wcm__read_memory(start, &head, sizeof(head)) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
	    !wcm__headers_read(&headers, map->l_addr, start + head.e_phoff, head.e_phnum,
			       false))
		return false;
	segment = wcm__headers_segment(&headers, (uintptr_t)found->dlfo_eh_frame);
	if (!segment || !wcm__headers_hold_frames(&headers, (uintptr_t)found->dlfo_eh_frame,
						  segment))
		return false;
	now->lo = map->l_addr + segment->p_vaddr;
	now->hi = now->lo + segment->p_memsz;
	/* The headers are in memory that the program may have changed: a segment beyond the
	 * module's own mapping is not believed. */
	return now->lo >= start && now->hi <= (uintptr_t)found->dlfo_map_end;
}

/* Found once an epoch.  The bounds of the segment are needed because a held table is read
 * without a check by the kernel: all of [lo, hi) must be mapped. */
static bool find_told(struct met *now, const struct dl_find_object *found,
		      const struct wcm_hold *hold)
{
	struct link_map map;

	if (recall(now, (uintptr_t)found->dlfo_map_start, hold->unloadings))
		return now->told;
	*now = (struct met){ .unloadings = hold->unloadings,
			     .start = (uintptr_t)found->dlfo_map_start };
	now->told = wcm__read_memory((uintptr_t)found->dlfo_link_map, &map, sizeof(map)) &&
		    find_segment(now, found, &map) && wcm__linked_is_told(map.l_name);
	remember(now);
	return now->told;
}

/* The loader knows .eh_frame_hdr itself. */
bool wcm__linked_find_unwind(struct wcm_unwind_table *table, uintptr_t pc,
			     const struct wcm_hold *hold)
{
	struct dl_find_object found;
	struct wcm_module module;
	struct met now;

	if (!find(pc, &found))
		return false;
	/* In this order: with a hold, by a table that may be read in place; without, by one that
	 * is read through the kernel; and at last by the module's own headers. */
	if (found.dlfo_eh_frame && hold && find_told(&now, &found, hold)) {
		*table = (struct wcm_unwind_table){
			.hdr = (uintptr_t)found.dlfo_eh_frame,
			.lo = now.lo,
			.hi = now.hi,
			.whole = true,
			.held = true,
		};
		return true;
	}
	if (found.dlfo_eh_frame) {
		*table = (struct wcm_unwind_table){
			.hdr = (uintptr_t)found.dlfo_eh_frame,
			.lo = (uintptr_t)found.dlfo_map_start,
			.hi = (uintptr_t)found.dlfo_map_end,
		};
		return true;
	}
	if (!wcm__linked_find(&module, pc))
		return false;
	*table = module.unwind;
	return true;
}
