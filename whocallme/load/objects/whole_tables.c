/* SPDX-License-Identifier: MIT */
/* whole_tables.c - checks that an ELF file has the tables that its headers claim.
 *
 * BFD maps tables of symbols and relocations from binutils 2.44 on, if they have four pages or
 * more, and ends the process where the file is shorter.  It allocates what headers claim, if it
 * is no more than the file's size, before it reads any of it, and a hole costs nobody any room.
 */
#include "load/objects/objfile.h"

#include <string.h>

#include "load/objects/elf_fields.h"

struct file {
	wcm_bytes_reader *read;
	wcm_written_judge *is_written;
	const void *from;
	uint64_t size;
	struct wcm_elf_kind kind;
	uint64_t symbols; /* of the largest table */
	uint64_t indexes; /* of sections, for so many symbols at most */
	uint64_t unclaimed; /* bytes: honest sections do not overlap */
};

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Whether BFD does not read all of the SECTION of TYPE: it has no bytes, or is mapped, as data
 * are that are zero. */
static bool may_be_hollow(const struct file *file, const unsigned char *section, uint64_t type)
{
	return type == SHT_NULL || type == SHT_NOBITS ||
	       (type == SHT_PROGBITS &&
		WCM_ELF_FIELD(file->kind, section, Shdr, sh_flags) & SHF_ALLOC);
}

static bool is_whole(struct file *file, const unsigned char *section)
{
	const uint64_t type = WCM_ELF_FIELD(file->kind, section, Shdr, sh_type);
	const uint64_t offset = WCM_ELF_FIELD(file->kind, section, Shdr, sh_offset);
	const uint64_t size = WCM_ELF_FIELD(file->kind, section, Shdr, sh_size);
	const uint64_t left = offset <= file->size ? file->size - offset : 0;

	if (size > 0 && size <= left && !may_be_hollow(file, section, type)) {
		if (size > file->unclaimed || !file->is_written(file->from, offset, size))
			return false;
		file->unclaimed -= size;
	}
	switch (type) {
	case SHT_SYMTAB:
		file->symbols = most(file->symbols, size / WCM_ELF_SIZE(file->kind, Sym));
		break;
	case SHT_SYMTAB_SHNDX:
		file->indexes = least(file->indexes, left / sizeof(Elf64_Word));
		break;
	case SHT_DYNSYM:
	case SHT_REL:
	case SHT_RELA:
		break;
	default:
		return true;
	}
	return offset <= file->size && size <= left;
}

/* COUNT headers of EACH bytes from AT on, as many of them as there are.  A symbol may have an
 * index in another table, which BFD reads as far as there are symbols. */
static bool are_whole(struct file *file, uint64_t at, uint64_t count, size_t each)
{
	enum { LOT = 64 };
	unsigned char section[LOT * sizeof(Elf64_Shdr)];

	for (uint64_t i = 0; i < count; i += LOT) {
		const size_t lot = count - i < LOT ? (size_t)(count - i) : LOT;
		const size_t read = file->read(file->from, section, lot * each, at + i * each);

		for (size_t j = 0; j < read / each; j++)
			if (!is_whole(file, section + j * each))
				return false;
		if (read < lot * each)
			break;
	}
	return file->symbols <= file->indexes;
}

bool wcm__has_whole_tables(wcm_bytes_reader *read, wcm_written_judge *is_written, const void *from,
			   uint64_t size)
{
	struct file file = { .read = read, .is_written = is_written, .from = from, .size = size,
			     .unclaimed = size <= UINT64_MAX / 2 ? 2 * size : size,
			     .indexes = UINT64_MAX };
	unsigned char head[sizeof(Elf64_Ehdr)], first[sizeof(Elf64_Shdr)];
	uint64_t at, count;
	size_t each;

	if (read(from, head, sizeof(head), 0) < sizeof(head) ||
	    memcmp(head, ELFMAG, SELFMAG) != 0)
		return true;
	file.kind = wcm__elf_kind(head);
	at = WCM_ELF_FIELD(file.kind, head, Ehdr, e_shoff);
	count = WCM_ELF_FIELD(file.kind, head, Ehdr, e_shnum);
	each = WCM_ELF_SIZE(file.kind, Shdr);
	if (at == 0 || at >= size || WCM_ELF_FIELD(file.kind, head, Ehdr, e_shentsize) != each)
		return true;
	/* Where they are too many for the ELF header, the first has their number. */
	if (count == 0 && read(from, first, each, at) == each)
		count = WCM_ELF_FIELD(file.kind, first, Shdr, sh_size);
	if (!is_written(from, at, least(count, (size - at) / each) * each))
		return false;
	return are_whole(&file, at, count, each);
}
