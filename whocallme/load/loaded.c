/* SPDX-License-Identifier: MIT */
/* loaded.c - lists the loaded modules, as the dynamic linker reports them.
 *
 * A module that an earlier list had at the same address, with the same fingerprint,
 * keeps its entry and its table.  The list is published whole; readers may hold an old
 * one.
 */
#include "load/loaded.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "core/modules/module_origin.h"
#include "core/modules/modules.h"
#include "load/executable.h"

/* Tells which modules can never be unloaded.
 *
 * They are the closure of DT_NEEDED from the executable.  Preloaded libraries, and
 * those that a needed name reached under another name, are missing: a look-up in those
 * takes longer, and is still right. */

static const ElfW(Dyn) *dynamic_section(const struct wcm_module *module)
{
	for (uint32_t i = 0; i < module->phnum; i++)
		if (module->phdr[i].p_type == PT_DYNAMIC)
			return (const ElfW(Dyn) *)(module->bias +
						   module->phdr[i].p_vaddr);
	return NULL;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The file name or the SONAME. */
static bool is_called(const struct wcm_module *module, const char *name)
{
	const ElfW(Dyn) *entry = dynamic_section(module);

	if (strcmp(base_name(module->path), base_name(name)) == 0)
		return true;
	for (; entry && entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == DT_SONAME &&
		    entry->d_un.d_val < module->dynsym.strings_size)
			return strcmp(module->dynsym.strings +
					      entry->d_un.d_val,
				      name) == 0;
	return false;
}

static bool mark_called(struct wcm_known_module *const *module, size_t count,
			const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (!is_called(&module[i]->map, name))
			continue;
		if (module[i]->permanent) /* a namesake came by dlopen(3) */
			return false;
		return module[i]->permanent = true;
	}
	return false;
}

static bool mark_needed_by(const struct wcm_module *by,
			   struct wcm_known_module *const *module, size_t count)
{
	const ElfW(Dyn) *entry = dynamic_section(by);
	bool marked = false;

	for (; entry && entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == DT_NEEDED &&
		    entry->d_un.d_val < by->dynsym.strings_size)
			marked |= mark_called(module, count,
					      by->dynsym.strings +
						      entry->d_un.d_val);
	return marked;
}

/* Mark, of the COUNT modules that are loaded, the first being the executable,
 * those that it needs, directly or not: they stay for the process's life, so a
 * look-up need not ask whether they are still there. */
static void mark_permanent(struct wcm_known_module *const *module, size_t count)
{
	bool marked = true;

	while (marked) {
		marked = false;
		for (size_t i = 0; i < count; i++)
			if (module[i]->permanent)
				marked |= mark_needed_by(&module[i]->map,
							 module, count);
	}
}

/* The list under construction. */
struct listing {
	struct wcm_known_module **module;
	size_t count, room;
	bool failed;    /* out of memory */
	bool is_latest; /* nothing was loaded or unloaded since the published one */
	unsigned long long adds, subs; /* how often that was done, as the dynamic linker counts */
};

static unsigned long long latest_adds, latest_subs; /* of the published one; 0: none */

struct wcm_loaded_module *wcm__loaded_get(size_t index)
{
	const struct wcm_module_list *list = wcm__modules_get();

	return index < list->count ? wcm__loaded_module(list->module[index])
				   : NULL;
}

static char *path_of(enum wcm_module_kind kind, const struct wcm_module *map)
{
	switch (kind) {
	case WCM_EXECUTABLE:
		return wcm__executable_path(map);
	case WCM_VDSO:
		return strdup("[vdso]");
	case WCM_LIBRARY:
		break;
	}
	return strdup(map->path && *map->path ? map->path : "[unnamed]");
}

static uint8_t *copy_build_id(const struct wcm_module *module)
{
	uint8_t *copy = malloc(module->build_id_size + 1);

	if (copy && module->build_id_size > 0)
		memcpy(copy, module->build_id, module->build_id_size);
	return copy;
}

/* A module met before is the one with the same address and fingerprint. */
static struct wcm_loaded_module *find_met(const struct wcm_module *map,
					  uint64_t fingerprint)
{
	struct wcm_loaded_module *module;

	for (size_t i = 0; (module = wcm__loaded_get(i)); i++)
		if (module->known.map.lo == map->lo &&
		    module->known.map.bias == map->bias &&
		    module->known.fingerprint == fingerprint)
			return module;
	return NULL;
}

static struct wcm_loaded_module *new_module(const struct wcm_module *map,
					    uint64_t fingerprint,
					    enum wcm_module_kind kind)
{
	struct wcm_loaded_module *module = calloc(1, sizeof(*module));

	if (!module)
		return NULL;
	module->kind = kind;
	module->status = WCM_UNTRIED;
	module->known.map = *map;
	module->known.map.path = path_of(kind, map);
	module->known.fingerprint = fingerprint;
	module->known.build_id = copy_build_id(map);
	module->known.permanent = kind != WCM_LIBRARY;
	if (module->known.map.path && module->known.build_id)
		return module;
	free((char *)module->known.map.path);
	free((uint8_t *)module->known.build_id);
	free(module);
	return NULL;
}

static void add(struct listing *listing, struct wcm_known_module *module)
{
	if (listing->count == listing->room) {
		size_t room = 2 * listing->room + 16;
		void *grown = reallocarray(listing->module, room,
					   sizeof(*listing->module));

		if (!grown) {
			listing->failed = true;
			return;
		}
		listing->module = grown;
		listing->room = room;
	}
	listing->module[listing->count++] = module;
}

/* Where the frame descriptions are need not be searched for. */
static bool has_frame_header(const struct wcm_module *map)
{
	for (uint32_t i = 0; i < map->phnum; i++)
		if (map->phdr[i].p_type == PT_GNU_EH_FRAME)
			return true;
	return false;
}

/* The frame descriptions of one that was met before are not looked for again; those of a static
 * program, if it has no header for them, when they are first needed. */
static void add_map(struct listing *listing, struct wcm_module *map,
		    enum wcm_module_kind kind)
{
	uint64_t fingerprint = wcm__module_fingerprint_held(map);
	struct wcm_loaded_module *module = find_met(map, fingerprint);

	if (!module && (kind != WCM_EXECUTABLE || has_frame_header(map)))
		wcm__module_find_frames_held(map);
	if (!module)
		module = new_module(map, fingerprint, kind);
	if (module)
		add(listing, &module->known);
	else
		listing->failed = true;
}

static bool is_vdso(const struct wcm_module *map)
{
	uintptr_t vdso = getauxval(AT_SYSINFO_EHDR);

	return vdso && vdso >= map->lo && vdso < map->hi;
}

/* dl_iterate_phdr(3) reports the executable first. */
static int add_reported(struct dl_phdr_info *info, size_t size, void *opaque)
{
	struct listing *listing = opaque;
	struct wcm_module map;

	(void)size;
	if (!wcm__module_identify_held(&map, info->dlpi_addr, info->dlpi_phdr,
				       info->dlpi_phnum, info->dlpi_name))
		return 0;
	add_map(listing, &map,
		is_vdso(&map)	      ? WCM_VDSO
		: listing->count == 0 ? WCM_EXECUTABLE
				      : WCM_LIBRARY);
	return 0;
}

static void add_vdso(struct listing *listing)
{
	uintptr_t base = getauxval(AT_SYSINFO_EHDR);
	struct wcm_module map;

	for (size_t i = 0; i < listing->count; i++)
		if (listing->module[i]->map.lo == base)
			return;
	if (base && wcm__module_describe_image(&map, base, "[vdso]"))
		add_map(listing, &map, WCM_VDSO);
}

static void take_counts(struct listing *listing, const struct dl_phdr_info *info, size_t size)
{
	if (size < offsetof(struct dl_phdr_info, dlpi_subs) + sizeof(info->dlpi_subs))
		return;
	listing->adds = info->dlpi_adds;
	listing->subs = info->dlpi_subs;
	listing->is_latest = listing->adds > 0 && listing->adds == latest_adds &&
			     listing->subs == latest_subs;
}

/* Nothing is unloaded before this returns: the dynamic linker's lock is held, and
 * may be taken again. */
static int list_at_once(struct dl_phdr_info *info, size_t size, void *opaque)
{
	struct listing *listing = opaque;

	take_counts(listing, info, size);
	if (listing->is_latest)
		return 1;
	dl_iterate_phdr(add_reported, listing);
	add_vdso(listing);
	mark_permanent(listing->module, listing->count);
	return 1;
}

/* The kernel is asked which file a module is of where no build-id tells, and what a relative
 * name leads to. */
static bool is_to_note(const struct wcm_known_module *module)
{
	return !is_vdso(&module->map) &&
	       (module->map.build_id_size == 0 || wcm__is_relative(module->map.path));
}

static void note_file(struct wcm_module *module, struct wcm_maps *maps, char *path)
{
	char *whole;

	module->file_tag = wcm__module_file_next(maps, module, path);
	if (!wcm__is_relative(module->path) || path[0] != '/')
		return;
	whole = strdup(path);
	if (!whole)
		return;
	free((char *)module->path);
	module->path = whole;
}

/* Modules are in order, so that the list of mappings is read once; those that are listed
 * already may be gone. */
static void note_files(struct listing *listing)
{
	struct {
		struct wcm_maps maps;
		char path[WCM_MODULE_PATH];
	} *room = NULL;
	bool is_open = false;

	for (size_t i = 0; i < listing->count; i++) {
		struct wcm_known_module *known = listing->module[i];

		if (known->map.is_listed)
			continue;
		known->map.file_tag = WCM_FILE_TAG_UNKNOWN;
		if (!room && is_to_note(known) && (room = malloc(sizeof(*room))))
			is_open = wcm__maps_open(&room->maps);
		if (is_open && is_to_note(known))
			note_file(&known->map, &room->maps, room->path);
		known->map.is_listed = true;
	}
	if (is_open)
		wcm__maps_close(&room->maps);
	free(room);
}

static bool is_listed(const struct listing *listing,
		      const struct wcm_known_module *module)
{
	for (size_t i = 0; i < listing->count; i++)
		if (listing->module[i] == module)
			return true;
	return false;
}

/* What is gone stays known, for traces taken while it was there. */
static void add_gone(struct listing *listing)
{
	struct wcm_loaded_module *module;

	for (size_t i = 0; (module = wcm__loaded_get(i)); i++)
		if (!is_listed(listing, &module->known))
			add(listing, &module->known);
}

static int compare_addresses(const void *left, const void *right)
{
	const struct wcm_known_module *const *a = left, *const *b = right;

	return ((*a)->map.lo > (*b)->map.lo) - ((*a)->map.lo < (*b)->map.lo);
}

static bool is_published(const struct listing *listing)
{
	const struct wcm_module_list *list = wcm__modules_get();

	return list->count == listing->count &&
	       memcmp(list->module, listing->module,
		      listing->count * sizeof(*listing->module)) == 0;
}

static enum wcm_status publish(struct listing *listing)
{
	struct wcm_module_list *list = malloc(sizeof(*list));

	if (!list) {
		free(listing->module);
		return WCM_ENOMEM;
	}
	*list = (struct wcm_module_list){ .count = listing->count,
					  .module = listing->module,
					  .previous = wcm__modules_get() };
	wcm__modules_publish(list);
	return WCM_OK;
}

enum wcm_status wcm__loaded_refresh(void)
{
	struct listing listing = { 0 };
	enum wcm_status status = WCM_OK;

	dl_iterate_phdr(list_at_once, &listing);
	if (listing.is_latest)
		return WCM_OK;
	add_gone(&listing);
	if (listing.failed) {
		free(listing.module);
		return WCM_ENOMEM;
	}
	qsort(listing.module, listing.count, sizeof(*listing.module),
	      compare_addresses);
	note_files(&listing);
	if (is_published(&listing))
		free(listing.module);
	else
		status = publish(&listing);
	if (status == WCM_OK) {
		latest_adds = listing.adds;
		latest_subs = listing.subs;
	}
	return status;
}
