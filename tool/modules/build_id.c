/* SPDX-License-Identifier: MIT */
/* build_id.c - opens an ELF file that can be read safely, and reads its build-id. */
#include "modules/build_id.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <gelf.h>
#include <lzma.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/regular_file.h"
#include "format/written.h"

/* Measures how large the symbols are that a file carries compressed.
 *
 * libdwfl unpacks them whole.  The index of an .xz file may say anything, so that they are
 * unpacked, to nowhere, until they are too many. */

/* How many bytes SECTION unpacks to, .gnu_debugdata, an .xz file: some number above MOST
 * where they are more.  Of a damaged one, those before the damage. */
static uint64_t packed_size(Elf_Scn *section, uint64_t most)
{
	enum { DECODER_MEMORY = 80 << 20 };
	static uint8_t nowhere[64 << 10];
	const Elf_Data *data = elf_rawdata(section, NULL);
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret result = LZMA_OK;
	uint64_t size;

	if (!data || !data->d_buf ||
	    lzma_stream_decoder(&stream, DECODER_MEMORY, 0) != LZMA_OK)
		return 0;
	stream.next_in = data->d_buf;
	stream.avail_in = data->d_size;
	while (result == LZMA_OK && stream.total_out <= most) {
		stream.next_out = nowhere;
		stream.avail_out = sizeof(nowhere);
		result = lzma_code(&stream, LZMA_FINISH);
	}
	size = stream.total_out;
	lzma_end(&stream);
	return size;
}

/* Whether what HEADER describes may lie in a hole: it has no bytes, or is mapped, as is
 * data that is zero.  Debug data is read by its name, whatever its header says. */
static bool may_be_hollow(const GElf_Shdr *header, const char *name)
{
	if (header->sh_type == SHT_NOBITS || header->sh_type == SHT_NULL)
		return true;
	return header->sh_flags & SHF_ALLOC && header->sh_type == SHT_PROGBITS &&
	       !(name && strstr(name, "debug"));
}

/* Whether a section of FILE lies in a hole that is made for whoever reads it: what is not
 * written in a file costs nobody the disk that its zeros take of memory. */
static bool is_hollow(const struct elf_file *file)
{
	const uint64_t size = (uint64_t)lseek(file->fd, 0, SEEK_END);
	uint64_t left = 2 * size; /* honest sections do not overlap */
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(file->elf, &names) != 0)
		names = SHN_UNDEF;
	while ((section = elf_nextscn(file->elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_size > size ||
		    may_be_hollow(&header, elf_strptr(file->elf, names, header.sh_name)))
			continue;
		if (header.sh_size > left ||
		    !wcm__is_written(file->fd, header.sh_offset, header.sh_size))
			return true;
		left -= header.sh_size;
	}
	return false;
}

/* How many bytes SECTION, which HEADER describes, says that it unpacks to, or does: of
 * more than MOST some number above it. */
static uint64_t unpacked_size(const struct elf_file *file, Elf_Scn *section,
			      const GElf_Shdr *header, const char *name, uint64_t most)
{
	enum { MAGIC = 4, SIZE = 12 };
	unsigned char old[SIZE];
	uint64_t size = 0;
	GElf_Chdr packed;

	if (header->sh_flags & SHF_COMPRESSED)
		return gelf_getchdr(section, &packed) ? packed.ch_size : 0;
	if (name && strcmp(name, ".gnu_debugdata") == 0)
		return packed_size(section, most);
	/* As of before there was a flag. */
	if (!name || strncmp(name, ".zdebug", 7) != 0 ||
	    pread(file->fd, old, SIZE, (off_t)header->sh_offset) != SIZE ||
	    memcmp(old, "ZLIB", MAGIC) != 0)
		return 0;
	for (int i = MAGIC; i < SIZE; i++)
		size = size << 8 | old[i];
	return size;
}

/* How many bytes FILE has, less its holes where the file system knows of them. */
static uint64_t written_size(const struct elf_file *file)
{
	uint64_t size = 0;
	off_t start, end = 0;

	while ((start = lseek(file->fd, end, SEEK_DATA)) >= 0) {
		end = lseek(file->fd, start, SEEK_HOLE);
		if (end < 0)
			break;
		size += (uint64_t)(end - start);
	}
	return errno == ENXIO ? size : (uint64_t)lseek(file->fd, 0, SEEK_END);
}

/* Whether what is compressed in FILE unpacks to more than any that is not made to:
 * libelf has all of it in memory. */
static bool is_bomb(const struct elf_file *file)
{
	enum { MOST_RATIO = 64, SMALL = 64 << 10 };
	uint64_t left = MOST_RATIO * written_size(file) + SMALL, unpacked;
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(file->elf, &names) != 0)
		return false;
	while ((section = elf_nextscn(file->elf, section))) {
		if (!gelf_getshdr(section, &header))
			continue;
		unpacked = unpacked_size(file, section, &header,
					 elf_strptr(file->elf, names, header.sh_name), left);
		if (unpacked > left)
			return true;
		left -= unpacked;
	}
	return false;
}

bool elf_file_is_written(const struct elf_file *file)
{
	return wcm__is_written(file->fd, 0, (uint64_t)lseek(file->fd, 0, SEEK_END));
}

bool elf_file_open(struct elf_file *file, const char *path)
{
	int error = 0;

	file->elf = NULL;
	file->fd = regular_open(path, NULL);
	if (file->fd < 0) {
		errno = errno == EINVAL ? 0 : errno;
		return false;
	}
	elf_version(EV_CURRENT);
	file->elf = elf_begin(file->fd, ELF_C_READ_MMAP, NULL);
	if (file->elf && elf_kind(file->elf) == ELF_K_ELF) {
		if (!is_hollow(file) && !is_bomb(file))
			return true;
		error = EFBIG;
	}
	elf_file_close(file);
	errno = error;
	return false;
}

void elf_file_close(struct elf_file *file)
{
	if (file->elf)
		elf_end(file->elf);
	if (file->fd >= 0)
		close(file->fd);
	file->elf = NULL;
	file->fd = -1;
}

struct build_id build_id_make(const void *bytes, size_t size)
{
	struct build_id id = { .size = size };

	if (id.size > sizeof(id.byte))
		id.size = sizeof(id.byte);
	if (id.size > 0)
		memcpy(id.byte, bytes, id.size);
	return id;
}

struct build_id build_id_of(Elf *elf)
{
	const void *bytes;
	ssize_t size = dwelf_elf_gnu_build_id(elf, &bytes);

	return build_id_make(bytes, size > 0 ? (size_t)size : 0);
}

bool build_id_is(const struct build_id *id, const struct build_id *wanted)
{
	return id->size >= wanted->size &&
	       memcmp(id->byte, wanted->byte, wanted->size) == 0;
}

const char *build_id_short(const struct build_id *id,
			   char text[BUILD_ID_SHORT])
{
	if (id->size == 0)
		return "no build-id";
	strcpy(text, "build-id ");
	for (size_t i = 0; i < id->size && i < 4; i++)
		sprintf(text + strlen(text), "%02x", id->byte[i]);
	return text;
}
