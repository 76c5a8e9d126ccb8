/* SPDX-License-Identifier: MIT */
/* linked.c (SAFE) - lists the modules of the dynamic linker, without its lock.
 *
 * dlmopen(3) makes namespaces, each with a list.  From glibc 2.35 on the records of all are in a
 * chain, and what is listed here are the modules of one after the other.
 *
 * An entry that is being freed is at worst misread: every read goes through
 * core/os/read.h, which cannot fault.
 */
#include "core/modules/linked.h"

#include "core/os/attempt.h"
#include "core/os/auxv.h"
#include "core/os/read.h"

/* The executable's dynamic section, of *COUNT entries; 0 where it has none. */
static uintptr_t find_dynamic(size_t *count)
{
	const ElfW(Phdr) *phdr = (const ElfW(Phdr) *)wcm__auxv(AT_PHDR);
	size_t phnum = wcm__auxv(AT_PHNUM);
	uintptr_t bias = 0, dynamic = 0;

	*count = 0;
	for (size_t i = 0; phdr && i < phnum; i++) {
		if (phdr[i].p_type == PT_PHDR)
			bias = (uintptr_t)phdr - phdr[i].p_vaddr;
		if (phdr[i].p_type == PT_DYNAMIC) {
			dynamic = phdr[i].p_vaddr;
			*count = phdr[i].p_memsz / sizeof(ElfW(Dyn));
		}
	}
	return dynamic ? bias + dynamic : 0;
}

/* The linker enters its list in the executable for debuggers.  The record's name is
 * not the same in every libc, and by it the preload library would need the linker
 * itself. */
static uintptr_t find_record(void)
{
	enum { LOT = 16 };
	size_t count;
	uintptr_t at = find_dynamic(&count);
	ElfW(Dyn) entry[LOT];

	for (; count > 0; at += sizeof(entry), count -= count < LOT ? count : LOT) {
		const size_t part = count < LOT ? count : LOT;

		if (!wcm__read_memory(at, entry, part * sizeof(*entry)))
			return 0;
		for (size_t i = 0; i < part; i++) {
			if (entry[i].d_tag == DT_DEBUG)
				return entry[i].d_un.d_ptr;
			if (entry[i].d_tag == DT_NULL)
				return 0;
		}
	}
	return 0;
}

/* It stays where it is. */
static uintptr_t record_at(void)
{
	static uintptr_t known;
	uintptr_t at = __atomic_load_n(&known, __ATOMIC_RELAXED);

	if (!at) {
		at = find_record();
		__atomic_store_n(&known, at, __ATOMIC_RELAXED);
	}
	return at;
}

static bool read_record(struct r_debug *record)
{
	const uintptr_t at = record_at();

	return at && wcm__read_memory(at, record, sizeof(*record));
}

/* A look at the records of all namespaces, the program's own first.  glibc has 16 at most. */
struct namespaces {
	uintptr_t at;
	unsigned left;
	struct r_debug record;
};

static struct namespaces all_namespaces(void)
{
	return (struct namespaces){ .at = record_at(), .left = 64 };
}

/* The first record's version says whether a link to the next one follows (struct
 * r_debug_extended, which not every <link.h> has). */
static bool next_namespace(struct namespaces *namespaces)
{
	const uintptr_t at = namespaces->at;
	const bool is_first = at == record_at();

	if (!at || namespaces->left-- == 0 ||
	    !wcm__read_memory(at, &namespaces->record, sizeof(namespaces->record)))
		return false;
	if ((is_first && namespaces->record.r_version < 2) ||
	    !wcm__read_memory(at + sizeof(namespaces->record), &namespaces->at,
			      sizeof(namespaces->at)))
		namespaces->at = 0;
	return true;
}

uintptr_t wcm__linked_first(void)
{
	struct r_debug record;

	return read_record(&record) ? (uintptr_t)record.r_map : 0;
}

bool wcm__linked_has_namespaces(void)
{
	struct r_debug record;

	return !read_record(&record) || record.r_version > 1;
}

uintptr_t wcm__linked_notifier(void)
{
	struct r_debug record;

	return read_record(&record) ? (uintptr_t)record.r_brk : 0;
}

uintptr_t wcm__linked_base(void)
{
	const uintptr_t base = wcm__auxv(AT_BASE);
	struct r_debug record;

	return base || !read_record(&record) ? base : (uintptr_t)record.r_ldbase;
}

static enum wcm_linked_state state_of(const struct r_debug *record)
{
	return record->r_state == RT_ADD    ? WCM_LINKED_ADDS :
	       record->r_state == RT_DELETE ? WCM_LINKED_DELETES :
					      WCM_LINKED_WHOLE;
}

enum wcm_linked_state wcm__linked_state(void)
{
	struct namespaces namespaces = all_namespaces();
	enum wcm_linked_state state = WCM_LINKED_UNKNOWN;

	while ((state == WCM_LINKED_UNKNOWN || state == WCM_LINKED_WHOLE) &&
	       next_namespace(&namespaces))
		state = state_of(&namespaces.record);
	return state;
}

/* Where the list goes on whose last entry, of MAP, is at AT: in the next namespace that has one. */
static uintptr_t first_of_next(uintptr_t at, const struct link_map *map)
{
	enum { MOST_MODULES = 65536 };
	struct namespaces namespaces = all_namespaces();
	struct link_map before = *map;
	bool is_behind = false;

	if (!wcm__linked_has_namespaces())
		return 0;
	for (unsigned i = 0; i < MOST_MODULES && before.l_prev; i++) {
		at = (uintptr_t)before.l_prev;
		if (!wcm__read_memory(at, &before, sizeof(before)))
			return 0;
	}
	while (next_namespace(&namespaces)) {
		const uintptr_t first = (uintptr_t)namespaces.record.r_map;

		if (is_behind && first)
			return first;
		is_behind |= first == at;
	}
	return 0;
}

bool wcm__linked_next(uintptr_t *at, struct link_map *map)
{
	if (!*at || !wcm__read_memory(*at, map, sizeof(*map)))
		return false;
	*at = map->l_next ? (uintptr_t)map->l_next : first_of_next(*at, map);
	return true;
}

static const char *executable_path;

void wcm__modules_name_executable(const char *path)
{
	executable_path = path;
}

const char *wcm__module_path(const char *name)
{
	if (name && wcm__attempt_is_running() && !wcm__is_string(name))
		return "[unnamed]";
	if (name && *name)
		return name;
	return executable_path ? executable_path
			       : wcm__auxv_path();
}
