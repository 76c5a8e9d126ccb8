/* SPDX-License-Identifier: MIT */
/* split_package.c - makes of one unit in a package (.dwp) a .dwo file in memory. */
#include "modules/split_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "modules/build_id.h"
#include "modules/debug_bytes.h"
#include "modules/linked_file.h"
#include "modules/trust.h"

/* The sections of a half, and what the index calls them in both versions; 0: it does not. */
enum { INFO, ABBREV, LINE, OFFSETS, LOC, LOCLISTS, RNGLISTS, PARTS };

static const struct {
	const char *name;
	uint8_t kind_2, kind_5;
} parts[PARTS] = {
	[INFO] = { ".debug_info.dwo", 1, 1 },
	[ABBREV] = { ".debug_abbrev.dwo", 3, 3 },
	[LINE] = { ".debug_line.dwo", 4, 4 },
	[OFFSETS] = { ".debug_str_offsets.dwo", 6, 6 },
	[LOC] = { ".debug_loc.dwo", 5, 0 },
	[LOCLISTS] = { ".debug_loclists.dwo", 0, 5 },
	[RNGLISTS] = { ".debug_rnglists.dwo", 0, 8 },
};

static const char strings_name[] = ".debug_str.dwo";

enum { MOST_COLUMNS = 16, MOST_TIMES = 16, MOST_PROBES = 1 << 24, MOST_BYTES = 1 << 30 };

struct split_package {
	struct elf_file file;
	struct debug_bytes part[PARTS], strings;
	unsigned version; /* of the index */
	uint64_t slots, rows, columns;
	struct debug_bytes ids, indices, table; /* of it; TABLE has kinds, offsets and sizes */
	/* What may be done for all units together: steps in the index, of which a good one takes a
	 * few for each; and bytes of halves, in proportion to what is in the package. */
	uint64_t probes, left;
};

/* A half that is being made: its sections, of which STRINGS and OFFSETS may be new. */
struct half {
	struct debug_bytes part[PARTS], strings;
	uint8_t *new_offsets, *new_strings;
};

static bool is_same(const char *section, const char *name)
{
	return strcmp(section, name) == 0;
}

static struct debug_bytes section(const struct split_package *package, const char *wanted)
{
	return debug_elf_section(package->file.elf, is_same, wanted);
}

/* The next SIZE bytes; none where there are not as many. */
static struct debug_bytes part_of(const struct debug_bytes *all, uint64_t at, uint64_t size)
{
	struct debug_bytes part = *all;

	if (!debug_skip(&part, at) || size > debug_left(&part))
		return (struct debug_bytes){ .big_endian = all->big_endian };
	part.end = part.at + size;
	return part;
}

/* The head is of 16 bytes in either version.  All numbers are of 32 bits, so that no product of
 * two overflows. */
static bool read_index(struct split_package *package)
{
	const struct debug_bytes index = section(package, ".debug_cu_index");
	struct debug_bytes head = index;
	uint64_t ids, indices, table;

	if (debug_left(&head) < 16)
		return false;
	package->version = (unsigned)debug_fixed(&head, 4);
	if (package->version != 2) { /* two bytes, and two of padding */
		head = index;
		package->version = (unsigned)debug_fixed(&head, 2);
		debug_skip(&head, 2);
	}
	package->columns = debug_fixed(&head, 4);
	package->rows = debug_fixed(&head, 4);
	package->slots = debug_fixed(&head, 4);
	ids = 16;
	indices = ids + 8 * package->slots;
	table = indices + 4 * package->slots;
	if ((package->version != 2 && package->version != 5) ||
	    package->columns > MOST_COLUMNS || package->slots == 0 ||
	    (package->slots & (package->slots - 1)) != 0)
		return false;
	package->ids = part_of(&index, ids, 8 * package->slots);
	package->indices = part_of(&index, indices, 4 * package->slots);
	package->table = part_of(&index, table, 4 * package->columns * (2 * package->rows + 1));
	return debug_left(&package->table) > 0;
}

static uint64_t number_at(const struct debug_bytes *all, uint64_t index, size_t size)
{
	struct debug_bytes number = part_of(all, index * size, size);

	return debug_fixed(&number, size);
}

/* The row of the unit with that ID, from 0 on, or -1: by two hash functions (DWARF 5, 7.3.5.3). */
static int64_t find_row(struct split_package *package, uint64_t id)
{
	const uint64_t mask = package->slots - 1, step = (id >> 32 & mask) | 1;
	uint64_t slot = id & mask;

	for (uint64_t i = 0; i < package->slots && package->probes > 0; i++) {
		const uint64_t row = number_at(&package->indices, slot, 4);

		package->probes--;

		if (row == 0)
			return -1;
		if (number_at(&package->ids, slot, 8) == id)
			return row <= package->rows ? (int64_t)row - 1 : -1;
		slot = (slot + step) & mask;
	}
	return -1;
}

static void find_parts(struct half *half, const struct split_package *package, uint64_t row)
{
	const uint64_t columns = package->columns;

	for (uint64_t column = 0; column < columns; column++) {
		const uint64_t kind = number_at(&package->table, column, 4);
		const uint64_t at = number_at(&package->table, columns * (row + 1) + column, 4);
		const uint64_t size = number_at(&package->table,
						columns * (package->rows + row + 1) + column, 4);

		for (int i = 0; i < PARTS; i++)
			if (kind != 0 && kind == (package->version == 2 ? parts[i].kind_2
									: parts[i].kind_5))
				half->part[i] = part_of(&package->part[i], at, size);
	}
}

static void put(uint8_t *to, uint64_t value, bool big_endian)
{
	for (int i = 0; i < 4; i++)
		to[big_endian ? 3 - i : i] = (uint8_t)(value >> 8 * i);
}

/* Have HALF have the strings that its offsets lead to, and no others: a package has those of all
 * units in one.  The numbers stand in front of the strings where they stay as they are: those of
 * 64-bit DWARF, or strings that are more than all. */
static void take_strings(struct half *half, const struct split_package *package)
{
	const struct debug_bytes *all = &package->strings, *old = &half->part[OFFSETS];
	const size_t size = debug_left(old), all_size = debug_left(all);
	const size_t most = all_size < package->left ? all_size : (size_t)package->left;
	const size_t head = package->version == 5 ? 8 : 0;
	size_t used = 0;

	half->strings = *all;
	if (size == 0 || size < head || (head > 0 && number_at(old, 0, 4) == UINT32_MAX))
		return;
	half->new_offsets = malloc(size + 1);
	half->new_strings = malloc(most + 1);
	if (!half->new_offsets || !half->new_strings)
		return;
	memcpy(half->new_offsets, old->at, size);
	for (size_t at = head; size - at >= 4; at += 4) {
		struct debug_bytes text = part_of(old, at, 4), string;
		const uint64_t offset = debug_fixed(&text, 4);
		const size_t left = offset < all_size ? all_size - (size_t)offset : 0;
		const size_t length = left ? strnlen((const char *)all->at + offset, left - 1) : 0;

		string = part_of(all, offset, length);
		if (length + 1 > most - used)
			return;
		if (length > 0)
			memcpy(half->new_strings + used, string.at, length);
		put(half->new_offsets + at, used, old->big_endian);
		half->new_strings[used + length] = '\0';
		used += length + 1;
	}
	half->part[OFFSETS].at = half->new_offsets;
	half->part[OFFSETS].end = half->new_offsets + size;
	half->strings.at = half->new_strings;
	half->strings.end = half->new_strings + used;
}

static bool add_section(Elf *elf, const struct debug_bytes *bytes, size_t name, uint32_t type)
{
	Elf_Scn *scn = elf_newscn(elf);
	Elf_Data *data = scn ? elf_newdata(scn) : NULL;
	GElf_Shdr header;

	if (!data || !gelf_getshdr(scn, &header))
		return false;
	data->d_buf = (void *)bytes->at;
	data->d_size = debug_left(bytes);
	data->d_align = 1;
	data->d_type = ELF_T_BYTE;
	data->d_version = EV_CURRENT;
	header.sh_name = (GElf_Word)name;
	header.sh_type = type;
	header.sh_addralign = 1;
	return gelf_update_shdr(scn, &header) != 0;
}

/* Write HALF as an object file like the package. */
static bool write_half(Elf *elf, const struct half *half, Elf *like)
{
	char names[256] = "";
	size_t used = 1;
	GElf_Ehdr head, its;
	struct debug_bytes all;

	if (!gelf_getehdr(like, &its) || !gelf_newehdr(elf, its.e_ident[EI_CLASS]) ||
	    !gelf_getehdr(elf, &head))
		return false;
	for (int i = 0; i <= PARTS; i++) {
		const struct debug_bytes *bytes = i < PARTS ? &half->part[i] : &half->strings;
		const char *name = i < PARTS ? parts[i].name : strings_name;

		if (debug_left(bytes) == 0)
			continue;
		memcpy(names + used, name, strlen(name) + 1);
		if (!add_section(elf, bytes, used, SHT_PROGBITS))
			return false;
		used += strlen(name) + 1;
	}
	memcpy(names + used, ".shstrtab", sizeof(".shstrtab"));
	all = (struct debug_bytes){ .at = (uint8_t *)names,
				    .end = (uint8_t *)names + used + sizeof(".shstrtab") };
	if (!add_section(elf, &all, used, SHT_STRTAB))
		return false;
	head.e_ident[EI_DATA] = its.e_ident[EI_DATA];
	head.e_type = ET_REL;
	head.e_machine = its.e_machine;
	head.e_version = EV_CURRENT;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));)
		head.e_shstrndx = (GElf_Half)elf_ndxscn(scn);
	return gelf_update_ehdr(elf, &head) && elf_update(elf, ELF_C_WRITE) >= 0;
}

static int file_of(const struct half *half, Elf *like)
{
	int fd = memfd_create("whocallme-split", MFD_CLOEXEC);
	Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_WRITE, NULL) : NULL;
	const bool written = elf && write_half(elf, half, like);

	elf_end(elf);
	if (fd >= 0 && !written) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static uint64_t parts_size(const struct half *half)
{
	uint64_t size = 0;

	for (int i = 0; i < PARTS; i++)
		size += debug_left(&half->part[i]);
	return size;
}

/* Whether SIZE more bytes may be made.  If not, no other unit is begun. */
static bool charge(struct split_package *package, uint64_t size)
{
	const bool is_left = size <= package->left;

	package->left = is_left ? package->left - size : 0;
	return is_left;
}

int split_package_half(struct split_package *package, uint64_t id, const char **fault)
{
	const int64_t row = find_row(package, id);
	struct half half = { .strings = { 0 } };
	int fd = -1;

	*fault = package->probes > 0 ? NULL : "its index makes too many steps for its units";
	if (row < 0)
		return -1;
	find_parts(&half, package, (uint64_t)row);
	*fault = "its units are more than 1 GiB, or than it has";
	if (!charge(package, parts_size(&half)))
		return -1;
	take_strings(&half, package);
	if (charge(package, debug_left(&half.strings))) {
		fd = file_of(&half, package->file.elf);
		*fault = strerror(ENOMEM);
	}
	free(half.new_offsets);
	free(half.new_strings);
	return fd;
}

/* Whether ERROR is of a place where there cannot be a file. */
static bool is_absence(int error)
{
	return error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG;
}

/* Open FILE at PATH, or say why not; "": it is not there, whosever the place is. */
static const char *file_fault(struct elf_file *file, const char *path, uid_t owner)
{
	const char *fault = NULL;

	if (access(path, F_OK) == 0) {
		fault = distrust_path(path, owner);
		errno = 0;
		if (!fault && !elf_file_open(file, path))
			fault = errno ? strerror(errno) : "it is not an ELF file";
		errno = 0; /* it is there */
		return fault;
	}
	return is_absence(errno) ? "" : errno ? strerror(errno) : "it is not an ELF file";
}

struct split_package *split_package_open(const char *path, uid_t owner, const char **fault)
{
	struct split_package *package = calloc(1, sizeof(*package));

	*fault = package ? file_fault(&package->file, path, owner) : strerror(ENOMEM);
	if (*fault) {
		const int error = errno;

		free(package);
		*fault = **fault ? *fault : NULL;
		errno = error;
		return NULL;
	}
	package->probes = MOST_PROBES;
	for (int i = 0; i < PARTS; i++) {
		package->part[i] = section(package, parts[i].name);
		package->left += MOST_TIMES * debug_left(&package->part[i]);
	}
	package->strings = section(package, strings_name);
	package->left += MOST_TIMES * debug_left(&package->strings);
	if (package->left > MOST_BYTES)
		package->left = MOST_BYTES;
	*fault = zstd_lack(package->file.elf);
	if (!*fault && (linked_further(package->file.elf) || !read_index(package)))
		*fault = "it is no package, or has a damaged index";
	if (!*fault)
		return package;
	split_package_close(package);
	errno = 0;
	return NULL;
}

void split_package_close(struct split_package *package)
{
	if (package)
		elf_file_close(&package->file);
	free(package);
}
