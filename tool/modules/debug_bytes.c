/* SPDX-License-Identifier: MIT */
/* debug_bytes.c - reads the next number of a section of debug data, in bounds. */
#include "modules/debug_bytes.h"

#include <gelf.h>
#include <string.h>

static bool is_called(const char *section, const char *name)
{
	size_t length = strlen(name);

	if (strncmp(section, ".debug_", 7) == 0)
		section += 7;
	else if (strncmp(section, ".zdebug_", 8) == 0)
		section += 8;
	else
		return false;
	return strncmp(section, name, length) == 0 &&
	       (!section[length] || strcmp(section + length, ".dwo") == 0);
}

struct debug_bytes debug_elf_section(Elf *elf, debug_name_test *is_wanted, const char *name)
{
	struct debug_bytes bytes = { 0 };
	Elf_Scn *scn = NULL;
	GElf_Shdr header;
	GElf_Ehdr start;
	size_t names;

	if (!elf || !gelf_getehdr(elf, &start) ||
	    elf_getshdrstrndx(elf, &names) != 0)
		return bytes;
	bytes.big_endian = start.e_ident[EI_DATA] == ELFDATA2MSB;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *section = gelf_getshdr(scn, &header) ?
					      elf_strptr(elf, names, header.sh_name) : NULL;
		Elf_Data *data;

		if (!section || !is_wanted(section, name) || header.sh_type == SHT_NOBITS ||
		    (header.sh_flags & SHF_COMPRESSED && elf_compress(scn, 0, 0) < 0))
			continue;
		data = elf_getdata(scn, NULL);
		if (data && data->d_buf) {
			bytes.at = data->d_buf;
			bytes.end = bytes.at + data->d_size;
			break;
		}
	}
	return bytes;
}

struct debug_bytes debug_section(Dwarf *dwarf, const char *name)
{
	return debug_elf_section(dwarf_getelf(dwarf), is_called, name);
}

/* Newer than some <elf.h>: ELF's specification, "Section Compression". */
enum { BY_ZSTD = 2 };

const char *zstd_fault(Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr header;
	GElf_Chdr compressed;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &header) &&
		    (header.sh_flags & SHF_COMPRESSED) &&
		    gelf_getchdr(scn, &compressed) &&
		    compressed.ch_type == BY_ZSTD && elf_compress(scn, 0, 0) < 0)
			return elf_errmsg(-1);
	return NULL;
}

const char *zstd_lack(Elf *elf)
{
	return zstd_fault(elf) ? "it is compressed by zstd, which elfutils cannot read here" : NULL;
}

uint64_t debug_fixed(struct debug_bytes *bytes, size_t size)
{
	uint64_t value = 0;

	if (debug_left(bytes) < size) {
		bytes->at = bytes->end;
		return 0;
	}
	for (size_t i = 0; i < size; i++) {
		size_t at = bytes->big_endian ? i : size - 1 - i;

		value = value << 8 | bytes->at[at];
	}
	bytes->at += size;
	return value;
}

uint64_t debug_uleb(struct debug_bytes *bytes)
{
	uint64_t value = 0;

	for (unsigned shift = 0; bytes->at < bytes->end; shift += 7) {
		uint8_t byte = *bytes->at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	return 0;
}

int64_t debug_sleb(struct debug_bytes *bytes)
{
	uint64_t value = 0;

	for (unsigned shift = 0; bytes->at < bytes->end;) {
		uint8_t byte = *bytes->at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (byte & 0x80)
			continue;
		if (shift < 64 && (byte & 0x40))
			value |= ~UINT64_C(0) << shift;
		return (int64_t)value;
	}
	return 0;
}

const char *debug_text(struct debug_bytes *bytes)
{
	const char *text = (const char *)bytes->at;
	const uint8_t *zero =
		bytes->at < bytes->end ?
			memchr(bytes->at, 0, debug_left(bytes)) :
			NULL;

	bytes->at = zero ? zero + 1 : bytes->end;
	return zero ? text : NULL;
}

bool debug_skip(struct debug_bytes *bytes, uint64_t size)
{
	const bool is_there = size <= debug_left(bytes);

	if (size > 0) /* an empty section has no address */
		bytes->at = is_there ? bytes->at + size : bytes->end;
	return is_there;
}
