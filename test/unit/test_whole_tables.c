/* SPDX-License-Identifier: MIT */
/* test_whole_tables.c - files whose headers claim more than there is, of each class and byte
 * order. */
#include "load/objects/objfile.h"

#include <elf.h>

#include "support/check.h"

enum { SECTIONS = 100, MOST = 200 + SECTIONS * sizeof(Elf64_Shdr) };

static struct {
	unsigned char byte[MOST];
	size_t size, section_size;
	bool wide, big_endian;
} file;

static size_t read_file(const void *from, void *to, size_t size, uint64_t offset)
{
	const size_t left = offset < file.size ? file.size - offset : 0;

	CHECK_EQ((uintptr_t)from, (uintptr_t)&file);
	memcpy(to, file.byte + offset, size < left ? size : left);
	return size < left ? size : left;
}

static uint64_t hole, hole_end; /* what is not written */

static bool is_written(const void *from, uint64_t offset, uint64_t size)
{
	CHECK_EQ((uintptr_t)from, (uintptr_t)&file);
	CHECK(offset <= file.size && size <= file.size - offset);
	return size == 0 || offset + size <= hole || offset >= hole_end;
}

static bool is_whole(void)
{
	return wcm__has_whole_tables(read_file, is_written, &file, file.size);
}

static void put(size_t at, size_t size, uint64_t value)
{
	for (size_t i = 0; i < size; i++) {
		const size_t low = file.big_endian ? size - 1 - i : i;

		file.byte[at + i] = (unsigned char)(value >> 8 * low);
	}
}

#define PUT(base, struct, field, value)                                                    \
	(file.wide ? put((base) + offsetof(Elf64_##struct, field),                         \
			 sizeof(((Elf64_##struct *)0)->field), value)                      \
		   : put((base) + offsetof(Elf32_##struct, field),                         \
			 sizeof(((Elf32_##struct *)0)->field), value))

/* Headers of sections without bytes, behind the ELF header. */
static void make(bool wide, bool big_endian)
{
	const unsigned char ident[] = { 0x7f, 'E', 'L', 'F', wide ? ELFCLASS64 : ELFCLASS32,
					big_endian ? ELFDATA2MSB : ELFDATA2LSB };

	memset(&file, 0, sizeof(file));
	memcpy(file.byte, ident, sizeof(ident));
	file.wide = wide;
	file.big_endian = big_endian;
	file.section_size = wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	file.size = sizeof(Elf64_Ehdr) + SECTIONS * file.section_size;
	PUT(0, Ehdr, e_shoff, sizeof(Elf64_Ehdr));
	PUT(0, Ehdr, e_shentsize, file.section_size);
	PUT(0, Ehdr, e_shnum, SECTIONS);
}

static void set(unsigned section, uint32_t type, uint64_t offset, uint64_t size)
{
	const size_t at = sizeof(Elf64_Ehdr) + section * file.section_size;

	PUT(at, Shdr, sh_type, type);
	PUT(at, Shdr, sh_offset, offset);
	PUT(at, Shdr, sh_size, size);
}

static void expect_all_kinds(void)
{
	static const uint32_t tables[] = { SHT_SYMTAB, SHT_DYNSYM, SHT_SYMTAB_SHNDX, SHT_REL,
					   SHT_RELA };

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (unsigned section = 1; section < SECTIONS; section += 49) {
			set(section, tables[i], 10, file.size - 10);
			CHECK(is_whole());
			set(section, tables[i], 10, file.size - 9);
			CHECK(!is_whole());
			set(section, tables[i], file.size + 1, 0);
			CHECK(!is_whole());
			set(section, tables[i], 10, file.wide ? UINT64_MAX : UINT32_MAX);
			CHECK(!is_whole());
			set(section, SHT_NOBITS, 10, file.size);
			CHECK(is_whole());
		}
}

TEST(a_table_ends_with_the_file_or_before)
{
	for (int kind = 0; kind < 4; kind++) {
		make(kind & 1, kind & 2);
		expect_all_kinds();
	}
}

TEST(a_section_index_for_each_symbol)
{
	for (int kind = 0; kind < 4; kind++) {
		make(kind & 1, kind & 2);
		set(1, SHT_SYMTAB, 0, (file.wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym)) * 10);
		set(2, SHT_SYMTAB_SHNDX, file.size - 40, 40);
		CHECK(is_whole());
		set(2, SHT_SYMTAB_SHNDX, file.size - 39, 39);
		CHECK(!is_whole());
	}
}

TEST(too_many_sections_for_the_header)
{
	make(true, false);
	PUT(0, Ehdr, e_shnum, 0);
	set(0, SHT_NULL, 0, SECTIONS);
	set(SECTIONS - 1, SHT_SYMTAB, 10, file.size);
	CHECK(!is_whole());
	set(0, SHT_NULL, 0, UINT64_MAX); /* more than the file has */
	set(SECTIONS - 1, SHT_SYMTAB, 10, 1);
	CHECK(is_whole());
}

/* What BFD would make room for; data that are mapped it does not read. */
TEST(what_is_read_is_written)
{
	static const uint32_t read[] = { SHT_SYMTAB, SHT_DYNSYM, SHT_STRTAB, SHT_RELA, SHT_NOTE,
					 SHT_PROGBITS, SHT_GROUP };
	const uint64_t middle = sizeof(Elf64_Ehdr) + SECTIONS / 2 * sizeof(Elf64_Shdr);

	make(true, false);
	hole = middle;
	hole_end = hole + 1;
	CHECK(!is_whole());
	hole_end = hole = file.size += 100;
	hole -= 50;
	CHECK(is_whole());
	for (size_t i = 0; i < sizeof(read) / sizeof(read[0]); i++) {
		set(1, read[i], hole - 10, 20);
		CHECK(!is_whole());
		set(1, read[i], hole - 10, 10);
		CHECK(is_whole());
	}
	set(1, SHT_NOBITS, hole, 20);
	CHECK(is_whole());
	set(1, SHT_PROGBITS, hole, 20);
	PUT(sizeof(Elf64_Ehdr) + file.section_size, Shdr, sh_flags, SHF_ALLOC);
	CHECK(is_whole());
	hole = hole_end = 0;
}

TEST(what_has_no_section_headers)
{
	make(true, false);
	set(1, SHT_SYMTAB, 10, file.size);
	CHECK(!is_whole());
	PUT(0, Ehdr, e_shentsize, file.section_size + 1);
	CHECK(is_whole());
	make(true, false);
	PUT(0, Ehdr, e_shoff, file.size);
	CHECK(is_whole());
	PUT(0, Ehdr, e_shoff, UINT64_MAX);
	CHECK(is_whole());
	file.size = 3;
	CHECK(is_whole());
}

RUN(a_table_ends_with_the_file_or_before, a_section_index_for_each_symbol,
    too_many_sections_for_the_header, what_is_read_is_written, what_has_no_section_headers)
