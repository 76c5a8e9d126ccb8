/* SPDX-License-Identifier: MIT */
/* own_objfile.c - reads an object file's function symbols where the library is built without BFD.
 *
 * It reads ELF of either class and byte order, and answers as objfile.c does, but for compressed
 * sections, files that are no ELF, and PLT stubs of CPUs whose port knows none.  The file may be
 * hostile: each part is read in bounds, and a table of symbols is no longer than the file.
 */
#include "load/objects/objfile.h"

#include <errno.h>
#include <limits.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/arch/arch.h"
#include "format/regular.h"
#include "format/written.h"
#include "load/objects/elf_fields.h"
#include "load/objects/elf_symbol.h"
#include "load/objects/mapped_file.h"
#include "load/objects/solid.h"
#include "whocallme/symbol.h"

struct section {
	uint64_t name, type, flags, address, offset, size, link;
};

struct wcm_objfile {
	int fd; /* -1: of bytes */
	uint64_t size;
	struct wcm_bytes image; /* where it is no file of its own */
	char *path;
	struct wcm_elf_kind kind;
	unsigned count;
	struct section *section;
	struct wcm_section_layout layout;
	struct wcm_bytes names; /* of sections */
	struct wcm_bytes note;	/* the one with the build-id, which begins at ID */
	size_t id, id_size;
	struct wcm_bytes strings[2]; /* names of .symtab and of .dynsym */
	struct stub *stubs;
	size_t stub_room; /* bytes that their names may take */
	uint64_t stub_code; /* bytes that may be searched: honest sections do not overlap */
};

static size_t read_bytes(const void *opened, void *to, size_t size, uint64_t offset)
{
	const struct wcm_objfile *objfile = opened;

	return objfile->fd == -1 ? wcm__bytes_copy(&objfile->image, (size_t)offset, to, size)
				 : wcm__solid_read(objfile->fd, to, size, offset);
}

static bool is_written(const void *opened, uint64_t offset, uint64_t size)
{
	const struct wcm_objfile *objfile = opened;

	return objfile->fd == -1 || wcm__is_written(objfile->fd, offset, size);
}

/* PART is SIZE bytes of the file from OFFSET on, and a zero byte behind them. */
static enum wcm_status read_part(const struct wcm_objfile *objfile, struct wcm_bytes *part,
				 uint64_t offset, uint64_t size)
{
	*part = (struct wcm_bytes){ .data = NULL };
	if (offset > objfile->size || size > objfile->size - offset || size >= SIZE_MAX)
		return WCM_EFORMAT;
	part->data = malloc((size_t)size + 1);
	if (!part->data)
		return WCM_ENOMEM;
	part->size = (size_t)size;
	part->data[size] = '\0';
	if (read_bytes(objfile, part->data, part->size, offset) == part->size)
		return WCM_OK;
	/* A file that has shrunk: nobody takes what was not read for a table. */
	free(part->data);
	*part = (struct wcm_bytes){ .data = NULL };
	return WCM_EFORMAT;
}

static enum wcm_status read_section(const struct wcm_objfile *objfile, struct wcm_bytes *part,
				    const struct section *section)
{
	*part = (struct wcm_bytes){ .data = NULL };
	if (section->type == SHT_NOBITS || section->flags & SHF_COMPRESSED)
		return WCM_EFORMAT;
	return read_part(objfile, part, section->offset, section->size);
}

static struct section section_of(struct wcm_elf_kind kind, const unsigned char *header)
{
	return (struct section){
		.name = WCM_ELF_FIELD(kind, header, Shdr, sh_name),
		.type = WCM_ELF_FIELD(kind, header, Shdr, sh_type),
		.flags = WCM_ELF_FIELD(kind, header, Shdr, sh_flags),
		.address = WCM_ELF_FIELD(kind, header, Shdr, sh_addr),
		.offset = WCM_ELF_FIELD(kind, header, Shdr, sh_offset),
		.size = WCM_ELF_FIELD(kind, header, Shdr, sh_size),
		.link = WCM_ELF_FIELD(kind, header, Shdr, sh_link),
	};
}

/* The section headers from AT on.  Where there are too many for the ELF header, the first has
 * their number, and the index of their names. */
static enum wcm_status read_headers(struct wcm_objfile *objfile, uint64_t at, uint64_t count,
				    uint64_t names)
{
	const size_t each = WCM_ELF_SIZE(objfile->kind, Shdr);
	struct wcm_bytes headers;
	unsigned char first[sizeof(Elf64_Shdr)];
	enum wcm_status status;

	if (read_bytes(objfile, first, each, at) != each)
		return WCM_EFORMAT;
	if (count == 0)
		count = section_of(objfile->kind, first).size;
	if (names == SHN_XINDEX)
		names = section_of(objfile->kind, first).link;
	if (count > objfile->size / each)
		return WCM_EFORMAT;
	status = read_part(objfile, &headers, at, count * each);
	objfile->section = calloc((size_t)count + 1, sizeof(*objfile->section));
	if (status == WCM_OK && !objfile->section)
		status = WCM_ENOMEM;
	for (; status == WCM_OK && objfile->count < count; objfile->count++)
		objfile->section[objfile->count] =
			section_of(objfile->kind, headers.data + objfile->count * each);
	free(headers.data);
	if (status != WCM_OK || names >= count)
		return status;
	return read_section(objfile, &objfile->names, &objfile->section[names]);
}

static enum wcm_status lay_sections_out(struct wcm_objfile *objfile, bool relocatable)
{
	struct wcm_section_layout *layout = &objfile->layout;

	layout->relocatable = relocatable;
	layout->count = objfile->count;
	layout->section = calloc(layout->count + 1, sizeof(*layout->section));
	if (!layout->section)
		return WCM_ENOMEM;
	for (unsigned i = 0; i < objfile->count; i++)
		layout->section[i] = (struct wcm_laid_section){
			.vma = objfile->section[i].address,
			.size = objfile->section[i].size,
			.code = objfile->section[i].flags & SHF_EXECINSTR,
		};
	wcm__section_layout_make(layout);
	return WCM_OK;
}

static uint64_t aligned(uint64_t size)
{
	return (size + 3) & ~(uint64_t)3;
}

/* Whether NOTE has a build-id, which is kept then. */
static bool find_build_id(struct wcm_objfile *objfile, const struct wcm_bytes *note)
{
	const struct wcm_elf_kind kind = objfile->kind;
	uint64_t at = 0;

	while (at + sizeof(Elf64_Nhdr) <= note->size) {
		const unsigned char *header = note->data + at;
		const uint64_t name = WCM_ELF_FIELD(kind, header, Nhdr, n_namesz);
		const uint64_t size = WCM_ELF_FIELD(kind, header, Nhdr, n_descsz);
		const uint64_t id = at + sizeof(Elf64_Nhdr) + aligned(name);

		if (id > note->size || size > note->size - id)
			return false;
		if (WCM_ELF_FIELD(kind, header, Nhdr, n_type) == NT_GNU_BUILD_ID &&
		    name == sizeof("GNU") && size > 0 &&
		    memcmp(header + sizeof(Elf64_Nhdr), "GNU", sizeof("GNU")) == 0) {
			objfile->id = (size_t)id;
			objfile->id_size = (size_t)size;
			objfile->note = *note;
			return true;
		}
		at = id + aligned(size);
	}
	return false;
}

static enum wcm_status read_build_id(struct wcm_objfile *objfile)
{
	for (unsigned i = 0; i < objfile->count && !objfile->note.data; i++) {
		struct wcm_bytes note;
		enum wcm_status status;

		if (objfile->section[i].type != SHT_NOTE)
			continue;
		status = read_section(objfile, &note, &objfile->section[i]);
		if (status == WCM_OK && !find_build_id(objfile, &note))
			free(note.data);
		if (status == WCM_ENOMEM)
			return status;
	}
	return WCM_OK;
}

/* Read what all questions need.  WCM_ENOTOBJECT: it is no ELF file. */
static enum wcm_status recognise(struct wcm_objfile *objfile)
{
	unsigned char head[sizeof(Elf64_Ehdr)] = { 0 };
	const size_t read = read_bytes(objfile, head, sizeof(head), 0);
	uint64_t at, type, count;
	enum wcm_status status = WCM_OK;

	if (memcmp(head, ELFMAG, SELFMAG) != 0)
		return WCM_ENOTOBJECT;
	if ((head[EI_CLASS] != ELFCLASS32 && head[EI_CLASS] != ELFCLASS64) ||
	    (head[EI_DATA] != ELFDATA2LSB && head[EI_DATA] != ELFDATA2MSB) ||
	    head[EI_VERSION] != EV_CURRENT)
		return WCM_EFORMAT;
	objfile->kind = wcm__elf_kind(head);
	type = WCM_ELF_FIELD(objfile->kind, head, Ehdr, e_type);
	if (read < WCM_ELF_SIZE(objfile->kind, Ehdr) || type == ET_NONE || type == ET_CORE ||
	    !wcm__has_whole_tables(read_bytes, is_written, objfile, objfile->size))
		return WCM_EFORMAT;
	at = WCM_ELF_FIELD(objfile->kind, head, Ehdr, e_shoff);
	count = WCM_ELF_FIELD(objfile->kind, head, Ehdr, e_shnum);
	if (at != 0 && WCM_ELF_FIELD(objfile->kind, head, Ehdr, e_shentsize) !=
			       WCM_ELF_SIZE(objfile->kind, Shdr))
		return WCM_EFORMAT;
	if (at != 0)
		status = read_headers(objfile, at, count,
				      WCM_ELF_FIELD(objfile->kind, head, Ehdr, e_shstrndx));
	if (status == WCM_OK)
		status = lay_sections_out(objfile, type == ET_REL);
	return status == WCM_OK ? read_build_id(objfile) : status;
}

static enum wcm_status hand_out(struct wcm_objfile **objfile, struct wcm_objfile *opened,
				const char *path)
{
	enum wcm_status status;

	opened->path = strdup(path);
	status = opened->path ? recognise(opened) : WCM_ENOMEM;
	if (status == WCM_OK)
		*objfile = opened;
	else
		wcm__objfile_close(opened);
	return status;
}

enum wcm_status wcm__objfile_open(struct wcm_objfile **objfile, const char *path, int fd)
{
	struct wcm_objfile *opened;
	struct stat status;

	*objfile = NULL;
	if (fd == -1)
		fd = wcm__regular_open(path, NULL);
	if (fd < 0)
		return fd == -EINVAL ? WCM_ENOTOBJECT : WCM_EOPEN;
	opened = calloc(1, sizeof(*opened));
	if (!opened) {
		close(fd);
		return WCM_ENOMEM;
	}
	opened->fd = fd;
	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
		wcm__objfile_close(opened);
		return WCM_ENOTOBJECT;
	}
	opened->size = (uint64_t)status.st_size;
	return hand_out(objfile, opened, path);
}

enum wcm_status wcm__objfile_open_bytes(struct wcm_objfile **objfile,
					const struct wcm_objfile *like,
					const struct wcm_bytes *image)
{
	struct wcm_objfile *opened = calloc(1, sizeof(*opened));
	enum wcm_status status;

	*objfile = NULL;
	if (!opened) {
		free(image->data);
		return WCM_ENOMEM;
	}
	opened->fd = -1;
	opened->image = *image;
	opened->size = image->size;
	status = hand_out(objfile, opened, like->path);
	return status == WCM_ENOTOBJECT ? WCM_EFORMAT : status;
}

static const struct section *find(const struct wcm_objfile *objfile, const char *name)
{
	for (unsigned i = 1; i < objfile->count; i++) {
		const struct section *section = &objfile->section[i];

		if (section->name < objfile->names.size &&
		    strcmp((char *)objfile->names.data + section->name, name) == 0)
			return section;
	}
	return NULL;
}

enum wcm_status wcm__objfile_section(struct wcm_objfile *objfile, const char *name,
				     struct wcm_bytes *bytes)
{
	const struct section *section = find(objfile, name);

	return section ? read_section(objfile, bytes, section) : WCM_ENOSYMS;
}

bool wcm__objfile_has_section(const struct wcm_objfile *objfile, const char *name)
{
	return find(objfile, name) != NULL;
}

const struct wcm_section_layout *wcm__objfile_layout(const struct wcm_objfile *objfile)
{
	return &objfile->layout;
}

const uint8_t *wcm__objfile_build_id(const struct wcm_objfile *objfile, size_t *size)
{
	*size = objfile->id_size;
	return objfile->note.data ? objfile->note.data + objfile->id : NULL;
}

int wcm__objfile_fd(const struct wcm_objfile *objfile)
{
	return objfile->fd;
}

/* The file name in .gnu_debuglink, and the CRC behind it. */
static char *read_link(struct wcm_objfile *objfile, uint32_t *crc)
{
	struct wcm_bytes link;
	size_t end;

	if (wcm__objfile_section(objfile, ".gnu_debuglink", &link) != WCM_OK)
		return NULL;
	end = (size_t)aligned(strlen((char *)link.data) + 1);
	if (!*link.data || end + sizeof(*crc) > link.size) {
		free(link.data);
		return NULL;
	}
	*crc = (uint32_t)wcm__elf_number(objfile->kind, link.data + end, sizeof(*crc));
	return (char *)link.data;
}

char *wcm__objfile_debuglink(struct wcm_objfile *objfile)
{
	uint32_t crc;

	return read_link(objfile, &crc);
}

/* It is the CRC of .xz files, too. */
static bool has_crc(const char *path, uint32_t crc)
{
	int fd = wcm__regular_open(path, NULL);
	unsigned char bytes[4096];
	uint32_t sum = 0;
	ssize_t count;

	if (fd < 0)
		return false;
	while ((count = read(fd, bytes, sizeof(bytes))) > 0)
		sum = lzma_crc32(bytes, (size_t)count, sum);
	close(fd);
	return count == 0 && sum == crc;
}

static bool has_build_id(const char *path, const struct wcm_objfile *of)
{
	struct wcm_objfile *other;
	bool has = false;

	if (wcm__objfile_open(&other, path, -1) == WCM_OK)
		has = other->id_size == of->id_size &&
		      memcmp(other->note.data + other->id, of->note.data + of->id,
			     of->id_size) == 0;
	wcm__objfile_close(other);
	return has;
}

static char *path_by_build_id(const struct wcm_objfile *objfile)
{
	char path[sizeof(DEBUG_DIR "/.build-id//.debug") + 2 * 64];
	int used = snprintf(path, sizeof(path), "%s", DEBUG_DIR "/.build-id/");

	if (objfile->id_size < 2 || objfile->id_size > 64)
		return NULL;
	for (size_t i = 0; i < objfile->id_size; i++)
		used += snprintf(path + used, sizeof(path) - (size_t)used,
				 i == 1 ? "/%02x" : "%02x",
				 objfile->note.data[objfile->id + i]);
	snprintf(path + used, sizeof(path) - (size_t)used, ".debug");
	return has_build_id(path, objfile) ? strdup(path) : NULL;
}

/* Beside the file, below it in .debug, and where the debug directory has the file's folder. */
static char *path_by_link(struct wcm_objfile *objfile)
{
	static const char *const form[] = { "%s%s", "%s.debug/%s", DEBUG_DIR "%s%s" };
	const char *slash = strrchr(objfile->path, '/');
	char folder[PATH_MAX + 1] = "", real[PATH_MAX + 2] = "/", path[2 * PATH_MAX];
	char *found = NULL, *name;
	uint32_t crc;

	if (slash && slash - objfile->path < PATH_MAX)
		memcpy(folder, objfile->path, (size_t)(slash - objfile->path) + 1);
	if (realpath(slash ? folder : ".", real) && strcmp(real, "/") != 0)
		strcat(real, "/");
	name = read_link(objfile, &crc);
	for (size_t i = 0; name && !found && i < sizeof(form) / sizeof(*form); i++)
		if (snprintf(path, sizeof(path), form[i], i == 2 ? real : folder, name) <
			    (int)sizeof(path) &&
		    has_crc(path, crc))
			found = strdup(path);
	free(name);
	return found;
}

char *wcm__objfile_debug_path(struct wcm_objfile *objfile, bool by_link)
{
	char *path = path_by_build_id(objfile);

	return path || !by_link ? path : path_by_link(objfile);
}

/* The indexes of sections that are too large for the symbols of table TABLE. */
static struct wcm_bytes read_indexes(const struct wcm_objfile *objfile, unsigned table)
{
	struct wcm_bytes indexes = { .data = NULL };

	for (unsigned i = 1; i < objfile->count && !indexes.data; i++)
		if (objfile->section[i].type == SHT_SYMTAB_SHNDX &&
		    objfile->section[i].link == table &&
		    read_section(objfile, &indexes, &objfile->section[i]) != WCM_OK)
			break;
	return indexes;
}

static void add_symbols(const struct wcm_objfile *objfile, const struct wcm_bytes *table,
			const struct wcm_bytes *indexes, const struct wcm_bytes *strings,
			struct wcm_raw_symbols *symbols)
{
	const struct wcm_elf_kind kind = objfile->kind;
	const struct wcm_section_layout *layout = &objfile->layout;
	const size_t each = WCM_ELF_SIZE(kind, Sym);

	for (size_t i = 0; i < table->size / each; i++) {
		const unsigned char *at = table->data + i * each;
		const uint64_t name = WCM_ELF_FIELD(kind, at, Sym, st_name);
		const uint64_t value = WCM_ELF_FIELD(kind, at, Sym, st_value);
		const unsigned info = (unsigned)WCM_ELF_FIELD(kind, at, Sym, st_info);
		uint64_t section = WCM_ELF_FIELD(kind, at, Sym, st_shndx);

		/* What is absolute, or common, is in no section, however many there are. */
		if (section == SHN_XINDEX && (i + 1) * 4 <= indexes->size)
			section = wcm__elf_number(kind, indexes->data + i * 4, 4);
		else if (section >= SHN_LORESERVE)
			continue;
		if (name < strings->size && section < layout->count)
			wcm__elf_symbol_add(symbols, layout, &(struct wcm_elf_symbol){
				.name = (char *)strings->data + name,
				.value = layout->relocatable
						 ? value : value - layout->section[section].vma,
				.size = WCM_ELF_FIELD(kind, at, Sym, st_size),
				.section = (unsigned)section,
				.type = ELF64_ST_TYPE(info),
				.bind = ELF64_ST_BIND(info),
			});
	}
}

static enum wcm_status read_symbols(struct wcm_objfile *objfile, unsigned index,
				    struct wcm_bytes *strings, struct wcm_raw_symbols *symbols)
{
	enum { MOST_SYMBOLS = 1 << 24 };
	const struct section *section = &objfile->section[index];
	struct wcm_bytes table = { .data = NULL }, indexes = { .data = NULL };
	const size_t each = WCM_ELF_SIZE(objfile->kind, Sym);
	enum wcm_status status = WCM_OK;

	if (section->link >= objfile->count || section->size / each > MOST_SYMBOLS)
		return WCM_EFORMAT;
	if (!strings->data)
		status = read_section(objfile, strings, &objfile->section[section->link]);
	if (status == WCM_OK)
		status = read_section(objfile, &table, section);
	if (status == WCM_OK && !wcm__raw_symbols_reserve(symbols, table.size / each))
		status = WCM_ENOMEM;
	if (status == WCM_OK) {
		indexes = read_indexes(objfile, index);
		add_symbols(objfile, &table, &indexes, strings, symbols);
	}
	free(table.data);
	free(indexes.data);
	return status;
}

/* A relocation of the dynamic linker's, for the word at SLOT. */
struct relocation {
	uint64_t slot, symbol, addend;
};

struct relocations {
	struct relocation *relocation;
	size_t count;
};

static struct relocation relocation_of(struct wcm_elf_kind kind, const unsigned char *at,
				       bool adds)
{
	const uint64_t info = WCM_ELF_FIELD(kind, at, Rela, r_info);

	return (struct relocation){
		.slot = WCM_ELF_FIELD(kind, at, Rela, r_offset),
		.symbol = kind.wide ? ELF64_R_SYM(info) : ELF32_R_SYM(info),
		.addend = adds ? WCM_ELF_FIELD(kind, at, Rela, r_addend) : 0,
	};
}

static enum wcm_status add_relocations(const struct wcm_objfile *objfile,
				       const struct section *section,
				       struct relocations *relocations)
{
	const struct wcm_elf_kind kind = objfile->kind;
	const bool adds = section->type == SHT_RELA;
	const size_t each = adds ? WCM_ELF_SIZE(kind, Rela) : WCM_ELF_SIZE(kind, Rel);
	struct wcm_bytes table;
	struct relocation *grown = NULL;
	enum wcm_status status = read_section(objfile, &table, section);

	if (status == WCM_OK) {
		grown = reallocarray(relocations->relocation,
				     relocations->count + table.size / each + 1, sizeof(*grown));
		status = grown ? WCM_OK : WCM_ENOMEM;
	}
	if (grown)
		relocations->relocation = grown;
	for (size_t i = 0; grown && i < table.size / each; i++)
		grown[relocations->count++] = relocation_of(kind, table.data + i * each, adds);
	free(table.data);
	return status;
}

static int by_slot(const void *a, const void *b)
{
	const struct relocation *left = a, *right = b;

	return (left->slot > right->slot) - (left->slot < right->slot);
}

/* Those whose symbols are of the table DYNSYM, by their slots. */
static enum wcm_status read_relocations(const struct wcm_objfile *objfile, unsigned dynsym,
					struct relocations *relocations)
{
	enum wcm_status status = WCM_OK;

	*relocations = (struct relocations){ .relocation = NULL };
	for (unsigned i = 1; status == WCM_OK && i < objfile->count; i++) {
		const struct section *section = &objfile->section[i];

		if ((section->type == SHT_RELA || section->type == SHT_REL) &&
		    section->link == dynsym)
			status = add_relocations(objfile, section, relocations);
	}
	if (relocations->count > 0)
		qsort(relocations->relocation, relocations->count,
		      sizeof(*relocations->relocation), by_slot);
	return status;
}

/* A stub's name, until the file is closed. */
struct stub {
	struct stub *next;
	char name[];
};

/* The name of the stub that jumps to what RELOCATION has: as BFD has it, where that has no name. */
static const char *name_stub(struct wcm_objfile *objfile, const struct relocation *relocation,
			     const struct wcm_bytes *dynsym)
{
	const struct wcm_elf_kind kind = objfile->kind;
	const struct wcm_bytes *strings = &objfile->strings[1];
	const size_t each = WCM_ELF_SIZE(kind, Sym);
	const char *name = "*ABS*";
	uint64_t at = 0;
	struct stub *stub;
	size_t size;

	if (relocation->symbol >= dynsym->size / each)
		return NULL;
	if (relocation->symbol > 0)
		at = WCM_ELF_FIELD(kind, dynsym->data + relocation->symbol * each, Sym, st_name);
	if (at >= strings->size)
		return NULL;
	if (relocation->symbol > 0)
		name = (char *)strings->data + at;
	size = sizeof(*stub) + strnlen(name, objfile->stub_room) +
	       sizeof("+0x0123456789abcdef@plt");
	/* After one that has no room, none has. */
	if (size > objfile->stub_room) {
		objfile->stub_room = 0;
		return NULL;
	}
	objfile->stub_room -= size;
	stub = malloc(size);
	if (!stub)
		return NULL;
	if (relocation->addend > 0)
		snprintf(stub->name, size - sizeof(*stub), "%s+0x%llx@plt", name,
			 (unsigned long long)relocation->addend);
	else
		snprintf(stub->name, size - sizeof(*stub), "%s@plt", name);
	stub->next = objfile->stubs;
	objfile->stubs = stub;
	return stub->name;
}

/* Stubs begin at multiples of eight bytes, as this CPU's port knows them; those of another CPU
 * lead to no slot. */
static enum wcm_status add_stubs(struct wcm_objfile *objfile, unsigned index,
				 const struct relocations *relocations,
				 const struct wcm_bytes *dynsym, struct wcm_raw_symbols *symbols)
{
	enum { STEP = 8, LONGEST = 24 };
	const struct section *section = &objfile->section[index];
	struct wcm_bytes code;
	enum wcm_status status;

	/* The stubs that were found first stay. */
	if (section->size > objfile->stub_code)
		return WCM_OK;
	objfile->stub_code -= section->size;
	status = read_section(objfile, &code, section);
	if (status == WCM_OK && !wcm__raw_symbols_reserve(symbols, code.size / STEP))
		status = WCM_ENOMEM;
	for (size_t at = 0; status == WCM_OK && at + STEP <= code.size; at += STEP) {
		const size_t left = code.size - at;
		struct relocation key = { .slot = section->address + at };
		const struct relocation *found = NULL;
		const char *name = NULL;
		intptr_t slot;

		if (wcm__arch_stub_slot(code.data + at, left < LONGEST ? left : LONGEST, &slot)) {
			key.slot += (uint64_t)(int64_t)slot;
			found = bsearch(&key, relocations->relocation, relocations->count,
					sizeof(key), by_slot);
		}
		if (found)
			name = name_stub(objfile, found, dynsym);
		if (name)
			wcm__raw_symbols_add(symbols, &objfile->layout, index, at,
					     &(struct wcm_sized_name){
						     name, 0, WCM_SYMBOL_PLT | WCM_SYMBOL_UNSIZED,
						     WCM_RANK_PLT | WCM_RANK_UNSIZED });
	}
	free(code.data);
	return status;
}

static bool has_stubs(const struct wcm_objfile *objfile, const struct section *section)
{
	return section->flags & SHF_EXECINSTR && section->name < objfile->names.size &&
	       strncmp((char *)objfile->names.data + section->name, ".plt", 4) == 0;
}

/* The stubs, where .dynsym, the table DYNSYM, names what they lead to. */
static enum wcm_status read_stubs(struct wcm_objfile *objfile, unsigned dynsym,
				  struct wcm_raw_symbols *symbols)
{
	const uint64_t strings = objfile->section[dynsym].link;
	struct relocations relocations = { .relocation = NULL };
	struct wcm_bytes table = { .data = NULL };
	enum wcm_status status = WCM_OK;

	if (objfile->stubs || objfile->layout.relocatable || strings >= objfile->count)
		return WCM_OK;
	objfile->stub_room = (size_t)(objfile->size < SIZE_MAX / 2 ? objfile->size : 0) + (1 << 20);
	objfile->stub_code = objfile->size;
	if (!objfile->strings[1].data)
		status = read_section(objfile, &objfile->strings[1], &objfile->section[strings]);
	if (status == WCM_OK)
		status = read_section(objfile, &table, &objfile->section[dynsym]);
	/* The first symbol is none. */
	if (status == WCM_OK && table.size > WCM_ELF_SIZE(objfile->kind, Sym))
		status = read_relocations(objfile, dynsym, &relocations);
	for (unsigned i = 1; status == WCM_OK && relocations.count > 0 && i < objfile->count; i++)
		if (has_stubs(objfile, &objfile->section[i]))
			status = add_stubs(objfile, i, &relocations, &table, symbols);
	free(relocations.relocation);
	free(table.data);
	/* A file stripped to its debug data has no bytes where stubs would be. */
	return status == WCM_ENOMEM ? status : WCM_OK;
}

static void free_stubs(struct wcm_objfile *objfile)
{
	while (objfile->stubs) {
		struct stub *next = objfile->stubs->next;

		free(objfile->stubs);
		objfile->stubs = next;
	}
}

void wcm__objfile_close(struct wcm_objfile *objfile)
{
	if (!objfile)
		return;
	if (objfile->fd != -1)
		close(objfile->fd);
	free(objfile->image.data);
	free(objfile->path);
	free(objfile->section);
	free(objfile->layout.section);
	free(objfile->names.data);
	free(objfile->note.data);
	free_stubs(objfile);
	free(objfile->strings[0].data);
	free(objfile->strings[1].data);
	free(objfile);
}

enum wcm_status wcm__objfile_read(struct wcm_objfile *objfile, enum wcm_symbol_source source,
				  struct wcm_raw_symbols *symbols)
{
	const uint64_t type = source == WCM_SYMTAB ? SHT_SYMTAB : SHT_DYNSYM;

	for (unsigned i = 1; i < objfile->count; i++)
		if (objfile->section[i].type == type)
			return source == WCM_PLT
				       ? read_stubs(objfile, i, symbols)
				       : read_symbols(objfile, i,
						      &objfile->strings[source == WCM_DYNSYM],
						      symbols);
	return WCM_OK;
}
