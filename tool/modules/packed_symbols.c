/* SPDX-License-Identifier: MIT */
/* packed_symbols.c - tells whether libdwfl can read the .gnu_debugdata of a file.
 *
 * libdwfl of elfutils 0.188 unpacks it, and where something of its symbol table is amiss
 * frees it again, but not what points into it.  What it asks of the table is asked here
 * first.  What cannot be unpacked it leaves alone, but there is no end to what can.
 */
#include "modules/module_files.h"

#include <gelf.h>
#include <lzma.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The content of ELF's section, or NULL. */
static Elf_Data *packed_data(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		const char *name = gelf_getshdr(section, &header) ?
			elf_strptr(elf, names, header.sh_name) : NULL;

		if (name && strcmp(name, ".gnu_debugdata") == 0)
			return elf_rawdata(section, NULL);
	}
	return NULL;
}

/* What DATA unpacks to, *SIZE bytes for the caller to free; NULL where it cannot be
 * unpacked: *TOO_LARGE, since it grows as no object file does. */
static uint8_t *unpack(const Elf_Data *data, size_t *size, bool *too_large)
{
	enum { LARGEST_GROWTH = 64, LEAST_ROOM = 64 << 10, MOST = 1 << 24 };
	const size_t room = data->d_size * LARGEST_GROWTH + LEAST_ROOM;
	uint64_t memory = 80 << 20; /* xz -9 asks for 65 MiB */
	size_t from = 0;
	uint8_t *bytes = data->d_size <= MOST ? malloc(room) : NULL;
	lzma_ret result = LZMA_BUF_ERROR;

	*size = 0;
	if (bytes)
		result = lzma_stream_buffer_decode(&memory, 0, NULL, data->d_buf, &from,
						   data->d_size, bytes, size, room);
	*too_large = result == LZMA_BUF_ERROR || result == LZMA_MEMLIMIT_ERROR;
	if (result == LZMA_OK)
		return bytes;
	free(bytes);
	return NULL;
}

/* Whether ELF's symbol tables, and their strings and section numbers, are all there. */
static bool has_whole_tables(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header))
			return false;
		if (header.sh_type == SHT_SYMTAB_SHNDX && !elf_getdata(section, NULL))
			return false;
		if (header.sh_type != SHT_SYMTAB)
			continue;
		if (header.sh_entsize == 0 ||
		    header.sh_info > header.sh_size / header.sh_entsize ||
		    !elf_getdata(section, NULL) ||
		    !elf_getdata(elf_getscn(elf, header.sh_link), NULL))
			return false;
	}
	return true;
}

bool packed_symbols_are_sound(Elf *elf)
{
	const Elf_Data *data = packed_data(elf);
	bool too_large = false;
	size_t size;
	uint8_t *bytes = data && data->d_size > 0 ? unpack(data, &size, &too_large) : NULL;
	Elf *inner = bytes ? elf_memory((char *)bytes, size) : NULL;
	const bool sound = !too_large && (!inner || has_whole_tables(inner));

	if (inner)
		elf_end(inner);
	free(bytes);
	return sound;
}
