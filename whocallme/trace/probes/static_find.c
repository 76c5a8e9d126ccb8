/* SPDX-License-Identifier: MIT */
/* static_find.c (SAFE) - finds the static probes of a module by the notes of its file.
 *
 * The notes are not loaded, so they are read of the file that is mapped, and kept.  A probe is one
 * whose code is a NOP where it is mapped as code; whatever else a note says is left.  What follows
 * calls knows the probes of a name by an address: where the name is kept, in memory of this
 * library's that stays when the module goes, and is told of as a module, "PATH:probes".
 */
#include "trace/probes/static_module.h"

#include <errno.h>
#include <string.h>

#include "core/arch/arch.h"
#include "core/os/auxv.h"
#include "core/os/file.h"
#include "core/os/memory.h"
#include "core/os/read.h"
#include "core/symbols/symtab_file.h"
#include "format/probe_note.h"

enum { MOST_NOTES = 64 << 20, FIRST_PLACES = 64 };

/* The notes of a file, and where its .stapsdt.base is, which a linker may have dropped. */
struct notes {
	uint8_t *byte;
	size_t size;
	uint64_t base;
	bool has_base;
};

/* What is being read. */
struct reading {
	struct wcm_static_module *module;
	struct notes notes;
	uint32_t *by_name; /* numbers of names, and one */
	struct wcm_static_texts texts;
};

static long read_file(struct notes *notes, struct wcm_symtab_search *search,
		      const struct wcm_module *map)
{
	ElfW(Shdr) note, base;
	long error = -ENOENT;

	search->only_executable = (uintptr_t)map->phdr == wcm__auxv(AT_PHDR);
	notes->has_base =
		wcm__symtab_find_section(search, map, SHT_PROGBITS, ".stapsdt.base", &base);
	if (!wcm__symtab_open_section(search, map, SHT_NOTE, ".note.stapsdt", &note))
		return -ENOENT;
	notes->base = notes->has_base ? base.sh_addr : 0;
	notes->size = note.sh_size;
	if (note.sh_size > 0 && note.sh_size <= MOST_NOTES) {
		notes->byte = wcm__map(note.sh_size);
		error = !notes->byte ? -ENOMEM :
			wcm__symtab_read(search, note.sh_offset, notes->byte, note.sh_size) ?
			0 : -ENOENT;
	}
	wcm__close(search->fd);
	return error;
}

static long read_notes(struct notes *notes, const struct wcm_module *map)
{
	struct wcm_symtab_search *search = wcm__map_sparse(sizeof(*search));
	long error;

	if (!search)
		return -ENOMEM;
	error = read_file(notes, search, map);
	wcm__unmap(search, sizeof(*search));
	return error;
}

/* Whether MODULE has mapped SIZE bytes at AT with FLAGS, by its headers. */
static bool is_mapped(const struct wcm_module *map, uintptr_t at, size_t size, uint32_t flags)
{
	for (size_t i = 0; i < map->phnum; i++) {
		ElfW(Phdr) header;

		if (!wcm__read_memory((uintptr_t)(map->phdr + i), &header, sizeof(header)))
			return false;
		if (header.p_type == PT_LOAD && (header.p_flags & flags) == flags &&
		    at - map->bias >= header.p_vaddr &&
		    at - map->bias - header.p_vaddr < header.p_memsz &&
		    size <= header.p_memsz - (at - map->bias - header.p_vaddr))
			return true;
	}
	return false;
}

static size_t hash_of(uintptr_t at)
{
	return (size_t)((uint64_t)at * UINT64_C(0x9e3779b97f4a7c15) >> 20);
}

size_t wcm__static_at(const struct wcm_static_module *module, uintptr_t at)
{
	for (size_t place = hash_of(at);; place++) {
		const size_t number = module->by_place[place & module->places];

		if (number == 0 || module->probe[number - 1].at == at)
			return number;
	}
}

static void list_place(struct wcm_static_module *module, size_t number)
{
	size_t place = hash_of(module->probe[number].at);

	while (module->by_place[place & module->places] != 0)
		place++;
	module->by_place[place & module->places] = (uint32_t)number + 1;
}

bool wcm__static_same(const char *one, const char *other)
{
	const size_t size = strlen(one) + 1;

	return strlen(other) + 1 == size && memcmp(one, other, size) == 0;
}

/* The number of NAME, which is new where nobody had it before. */
static uint32_t name_number(struct reading *reading, const char *name)
{
	struct wcm_slot_names *names = &reading->module->names;
	size_t place = (size_t)wcm__module_hash(WCM_MODULE_HASH, name, strlen(name));

	for (;; place++) {
		uint32_t *number = &reading->by_name[place & reading->module->places];

		if (*number == 0) {
			names->slot[names->count] = (struct wcm_slot_name){
				.at = (uintptr_t)&names->slot[names->count],
				.name = name, .is_probe = true,
			};
			*number = (uint32_t)++names->count;
		}
		if (wcm__static_same(names->slot[*number - 1].name, name))
			return *number - 1;
	}
}

/* One byte of text is changed: the zero between provider and name, which is not read any more. */
static void take_note(struct reading *reading, const struct wcm_probe_note *note)
{
	struct wcm_static_module *module = reading->module;
	const struct wcm_module *map = &module->map;
	const uint64_t moved = reading->notes.has_base ? reading->notes.base - note->base : 0;
	struct wcm_static_probe probe = {
		.at = map->bias + (uintptr_t)(note->at + moved),
	};
	char *zero = (char *)(uintptr_t)note->provider + strlen(note->provider);
	uint8_t nop;

	if (!is_mapped(map, probe.at, 1, PF_R | PF_X) || !wcm__read_memory(probe.at, &nop, 1) ||
	    !wcm__arch_probe_trap(nop, &module->trap) || wcm__static_at(module, probe.at) != 0)
		return;
	module->nop = nop;
	if (note->semaphore != 0)
		probe.semaphore = map->bias + (uintptr_t)(note->semaphore + moved);
	if (!is_mapped(map, probe.semaphore, sizeof(uint16_t), PF_W))
		probe.semaphore = 0;
	probe.values = wcm__static_resolve(&reading->texts, note->values);
	*zero = ':';
	probe.name = name_number(reading, note->provider);
	module->probe[module->count] = probe;
	list_place(module, module->count++);
}

static size_t count_notes(const struct notes *notes)
{
	struct wcm_probe_note note;
	size_t offset = 0, count = 0;

	while (wcm__probe_note_next(notes->byte, notes->size, sizeof(uintptr_t), &offset, &note))
		count++;
	return count;
}

/* What the module that the names are told of to be in is called stays, too. */
static bool make_place(struct wcm_static_module *module)
{
	static const char ending[] = ":probes";
	const struct wcm_module *map = &module->map;
	struct wcm_slot_names *names = &module->names;
	const char *path = map->path ? map->path : "";
	const size_t length = strlen(path);
	char *text = wcm__map(2 * length + 1 + sizeof(ending) + map->build_id_size);
	uint8_t *id = (uint8_t *)text + 2 * length + 1 + sizeof(ending);

	if (!text)
		return false;
	names->module = memcpy(text, path, length);
	module->place.path = memcpy(text + length + 1, path, length);
	memcpy(text + 2 * length + 1, ending, sizeof(ending));
	if (wcm__read_memory((uintptr_t)map->build_id, id, map->build_id_size)) {
		module->place.build_id = id;
		module->place.build_id_size = map->build_id_size;
	}
	module->place.lo = (uintptr_t)names->slot;
	module->place.hi = (uintptr_t)(names->slot + names->count);
	names->place = &module->place;
	return true;
}

static long take_notes(struct reading *reading, size_t count)
{
	struct wcm_static_module *module = reading->module;
	size_t places = FIRST_PLACES, offset = 0;
	struct wcm_probe_note note;

	while (places < 2 * count)
		places *= 2;
	module->places = places - 1;
	module->probe = wcm__map(count * sizeof(*module->probe));
	module->names.slot = wcm__map(count * sizeof(*module->names.slot));
	module->by_place = wcm__map(places * sizeof(*module->by_place));
	reading->by_name = wcm__map(places * sizeof(*reading->by_name));
	if (!module->probe || !module->names.slot || !module->by_place || !reading->by_name)
		return -ENOMEM;
	while (wcm__probe_note_next(reading->notes.byte, reading->notes.size, sizeof(uintptr_t),
				    &offset, &note))
		take_note(reading, &note);
	wcm__static_texts_end(&reading->texts);
	wcm__unmap(reading->by_name, places * sizeof(*reading->by_name));
	return module->count == 0 ? -ENOENT : make_place(module) ? 0 : -ENOMEM;
}

long wcm__static_find(struct wcm_static_module *module)
{
	struct reading reading = { .module = module, .texts = { .map = &module->map } };
	long error = read_notes(&reading.notes, &module->map);
	size_t count;

	if (error != 0)
		return error;
	count = count_notes(&reading.notes);
	return count > 0 ? take_notes(&reading, count) : -ENOENT;
}
