/* SPDX-License-Identifier: MIT */
/* probe_list.c - lists the static probes of a file, for `whocallme functions --probes`.
 *
 * Addresses are where the file has them now, though prelink(8) may have moved it since it was
 * linked.
 */
#include "commands/probe_list.h"

#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/json_string.h"
#include "format/probe_note.h"

typedef void probe_teller(const struct wcm_probe_note *note, bool is_first);

/* The section NAME of FILE; NULL: it has none. */
static Elf_Scn *find_section(const struct elf_file *file, const char *name, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(file->elf, &names) != 0)
		return NULL;
	while ((section = elf_nextscn(file->elf, section))) {
		const char *its = gelf_getshdr(section, header) ?
					  elf_strptr(file->elf, names, header->sh_name) : NULL;

		if (its && strcmp(its, name) == 0)
			return section;
	}
	return NULL;
}

static void visit(const struct elf_file *file, probe_teller *tell)
{
	const size_t word = gelf_getclass(file->elf) == ELFCLASS32 ? 4 : 8;
	GElf_Shdr header, base = { 0 };
	Elf_Scn *section = find_section(file, ".note.stapsdt", &header);
	Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
	const bool has_base = find_section(file, ".stapsdt.base", &base);
	struct wcm_probe_note note;
	size_t offset = 0;

	for (bool is_first = true;
	     data && data->d_buf &&
	     wcm__probe_note_next(data->d_buf, data->d_size, word, &offset, &note);
	     is_first = false) {
		const uint64_t moved = has_base ? base.sh_addr - note.base : 0;

		note.at += moved;
		note.semaphore += note.semaphore != 0 ? moved : 0;
		tell(&note, is_first);
	}
}

static void print(const struct wcm_probe_note *note, bool is_first)
{
	(void)is_first;
	printf("%016" PRIx64 " ", note->at);
	escape_text(stdout, note->provider);
	putchar(':');
	escape_text(stdout, note->name);
	if (*note->values)
		putchar(' ');
	escape_text(stdout, note->values);
	if (note->semaphore != 0)
		printf(" [semaphore %" PRIx64 "]", note->semaphore);
	putchar('\n');
}

static void print_json(const struct wcm_probe_note *note, bool is_first)
{
	if (!is_first)
		putchar(',');
	printf("{\"address\":\"0x%" PRIx64 "\",\"provider\":", note->at);
	json_print(note->provider);
	fputs(",\"name\":", stdout);
	json_print(note->name);
	fputs(",\"values\":", stdout);
	json_print(note->values);
	if (note->semaphore != 0)
		printf(",\"semaphore\":\"0x%" PRIx64 "\"", note->semaphore);
	putchar('}');
}

void probe_list_print(const struct elf_file *file)
{
	visit(file, print);
}

void probe_list_json(const struct elf_file *file)
{
	fputs(",\"probes\":[", stdout);
	visit(file, print_json);
	putchar(']');
}
