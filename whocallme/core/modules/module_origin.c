/* SPDX-License-Identifier: MIT */
/* module_origin.c (SAFE) - finds the file that a module is mapped from: by the kernel's word,
 * whatever its name leads to now. */
#include "core/modules/module_origin.h"

#include <string.h>

#include "core/os/file.h"
#include "core/os/maps.h"
#include "core/os/mask.h"
#include "core/os/memory.h"
#include "core/os/read.h"
#include "format/file_tag.h"
#include "format/regular.h"

/* What the kernel says of the file of a mapping. */
enum word {
	NO_WORD,  /* there is no /proc */
	NO_FILE,  /* it is of none, or that has been deleted or replaced */
	THIS_FILE,
};

static void copy_path(char *path, const char *from)
{
	size_t length = from ? strlen(from) : 0;

	if (length >= WCM_MODULE_PATH)
		length = 0;
	if (length > 0)
		memcpy(path, from, length);
	path[length] = '\0';
}

/* The kernel writes a newline as \012, and nothing else in another way. */
static void undo_escapes(char *path)
{
	char *to = path;

	for (const char *at = path; *at; at++) {
		const bool newline = at[0] == '\\' && at[1] == '0' && at[2] == '1' &&
				     at[3] == '2';

		*to++ = newline ? '\n' : *at;
		at += newline ? 3 : 0;
	}
	*to = '\0';
}

/* Cut the kernel's mark of a file that is gone off PATH. */
static bool cut_mark(char *path)
{
	static const char mark[] = " (deleted)";
	const size_t length = strlen(path), size = sizeof(mark) - 1;

	if (length <= size || memcmp(path + length - size, mark, size) != 0)
		return false;
	path[length - size] = '\0';
	return true;
}

static bool leads_to(const char *path, uint64_t inode)
{
	struct stat status;

	return wcm__fstatat(AT_FDCWD, path, &status, 0) == 0 && status.st_ino == inode;
}

static uint64_t inode_at(struct wcm_maps *maps, uintptr_t address)
{
	uint64_t inode = 0;

	if (wcm__maps_open(maps)) {
		inode = wcm__maps_seek(maps, address) ? maps->mapping.inode : 0;
		wcm__maps_close(maps);
	}
	return inode;
}

/* Whether mappings of the file at PATH have INODE: on overlayfs that need not be the file's.  One
 * at the lowest address is the first in the list, of which no more is read then. */
static bool maps_with(const char *path, uint64_t inode)
{
	enum { LOWEST = 1 << 16 }; /* that any program may have: vm.mmap_min_addr */
	const int fd = wcm__regular_open(path, NULL);
	struct wcm_maps *maps = wcm__map(sizeof(*maps));
	void *const lowest = (void *)LOWEST;
	const long page = maps && fd >= 0 ?
				  wcm__mmap(lowest, 1, PROT_READ, MAP_PRIVATE, fd, 0) : -1;
	bool same = false;

	if (!wcm__is_error(page)) {
		same = inode_at(maps, (uintptr_t)page) == inode;
		wcm__unmap((void *)page, 1);
	}
	if (maps)
		wcm__unmap(maps, sizeof(*maps));
	if (fd >= 0)
		wcm__close(fd);
	return same;
}

/* A page that is of MODULE's file for certain: that of its headers, unless these were copied,
 * or of its code. */
static uintptr_t place_of(const struct wcm_module *module)
{
	const uintptr_t headers = (uintptr_t)module->phdr;

	return headers >= module->lo && headers < module->hi ? headers : module->text_lo;
}

/* What the kernel calls the file of MODULE, if it has one: PATH is changed only then. */
static enum word next_name(struct wcm_maps *maps, const struct wcm_module *module, char *path)
{
	if (!wcm__maps_seek(maps, place_of(module)))
		return maps->file.is_late ? NO_WORD : NO_FILE;
	if (maps->path[0] != '/')
		return NO_FILE;
	copy_path(path, maps->path);
	/* A name can have in it what looks like an escape or the mark. */
	if (leads_to(path, maps->mapping.inode))
		return THIS_FILE;
	undo_escapes(path);
	if (leads_to(path, maps->mapping.inode))
		return THIS_FILE;
	return !cut_mark(path) && maps_with(path, maps->mapping.inode) ? THIS_FILE : NO_FILE;
}

/* A handler that jumped away would leave the list open: it waits. */
static enum word find_name(const struct wcm_module *module, char *path)
{
	const uint64_t mask = wcm__mask_add(WCM_MASK_ALL & ~WCM_MASK_FATAL);
	struct wcm_maps *maps = wcm__map(sizeof(*maps));
	enum word word = NO_WORD;

	if (maps && wcm__maps_open(maps)) {
		word = next_name(maps, module, path);
		wcm__maps_close(maps);
	}
	if (maps)
		wcm__unmap(maps, sizeof(*maps));
	wcm__mask_set(mask);
	return word;
}

bool wcm__module_has_headers_of(const struct wcm_module *module, int fd)
{
	enum { LOT = 8 };
	ElfW(Ehdr) head;
	ElfW(Phdr) ours[LOT], mapped[LOT];

	if (wcm__pread(fd, &head, sizeof(head), 0) != (long)sizeof(head) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_phnum != module->phnum ||
	    head.e_phentsize != sizeof(*ours))
		return false;
	for (uint32_t i = 0; i < module->phnum; i += LOT) {
		const uint32_t left = module->phnum - i;
		const size_t size = (left < LOT ? left : LOT) * sizeof(*ours);

		if (wcm__pread(fd, ours, size, head.e_phoff + i * sizeof(*ours)) !=
			    (long)size ||
		    !wcm__read_memory((uintptr_t)&module->phdr[i], mapped, size) ||
		    memcmp(ours, mapped, size) != 0)
			return false;
	}
	return true;
}

/* The tag of the file at PATH, if it has MODULE's headers. */
static uint64_t tag_by_headers(const struct wcm_module *module, const char *path)
{
	const int fd = wcm__regular_open(path, NULL);
	uint64_t tag;

	if (fd < 0)
		return 0;
	tag = wcm__file_tag(fd);
	if (tag != 0 && !wcm__module_has_headers_of(module, fd))
		tag = 0;
	wcm__close(fd);
	return tag;
}

/* The kernel has the executable's file by a reference of its own, whatever has become of its
 * name; where the dynamic linker was told to run the program, that is the linker's. */
static uint64_t tag_by_word(enum word word, const struct wcm_module *module, const char *path)
{
	switch (word) {
	case THIS_FILE:
		return wcm__file_tag_at(path);
	case NO_FILE:
		return tag_by_headers(module, "/proc/self/exe");
	case NO_WORD:
		break;
	}
	return tag_by_headers(module, path);
}

uint64_t wcm__module_file_find(const struct wcm_module *module, char *path)
{
	copy_path(path, module->path);
	return tag_by_word(find_name(module, path), module, path);
}

uint64_t wcm__module_file_next(struct wcm_maps *maps, const struct wcm_module *module,
			       char *path)
{
	copy_path(path, module->path);
	return tag_by_word(next_name(maps, module, path), module, path);
}

uint64_t wcm__module_file(const struct wcm_module *module, char *path)
{
	if (!module->is_listed || module->file_tag == WCM_FILE_TAG_UNKNOWN)
		return wcm__module_file_find(module, path);
	copy_path(path, module->path);
	return module->file_tag;
}

bool wcm__module_file_is(const struct wcm_module *module, int fd)
{
	char *path;
	uint64_t tag = module->file_tag;

	if (!module->is_listed) {
		path = wcm__map(WCM_MODULE_PATH);
		tag = path ? wcm__module_file_find(module, path) : 0;
		if (path)
			wcm__unmap(path, WCM_MODULE_PATH);
	}
	return tag == WCM_FILE_TAG_UNKNOWN || (tag != 0 && tag == wcm__file_tag(fd));
}

/* A relative name that was looked up: the same one at the same place, of a module with the
 * same fingerprint, is the same file's. */
struct known {
	const struct known *next;
	uintptr_t lo;
	uint64_t fingerprint;
	size_t name_size; /* with its zero byte */
	const char *name;
	char path[];
};

static const struct known *first_known;

static const struct known *find_known(const struct wcm_module *module, uint64_t fingerprint)
{
	const struct known *known = __atomic_load_n(&first_known, __ATOMIC_ACQUIRE);
	const size_t size = strlen(module->path) + 1;

	while (known && (known->lo != module->lo || known->fingerprint != fingerprint ||
			 known->name_size != size ||
			 memcmp(known->name, module->path, size) != 0))
		known = known->next;
	return known;
}

/* Two threads may add the same one. */
static const char *add_known(const struct wcm_module *module, uint64_t fingerprint,
			     const char *path)
{
	const size_t path_size = strlen(path) + 1, name_size = strlen(module->path) + 1;
	struct known *known = wcm__map(sizeof(*known) + path_size + name_size);

	if (!known)
		return module->path;
	memcpy(known->path, path, path_size);
	known->lo = module->lo;
	known->fingerprint = fingerprint;
	known->name_size = name_size;
	known->name = memcpy(known->path + path_size, module->path, name_size);
	known->next = __atomic_load_n(&first_known, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&first_known, &known->next, known, true,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	return known->path;
}

const char *wcm__module_whole_path(const struct wcm_module *module)
{
	const struct known *known;
	const char *whole = module->path;
	uint64_t fingerprint;
	char *path;

	if (!wcm__is_relative(module->path))
		return module->path;
	fingerprint = wcm__module_fingerprint(module);
	known = find_known(module, fingerprint);
	if (known)
		return known->path;
	path = wcm__map(WCM_MODULE_PATH);
	if (!path)
		return module->path;
	if (find_name(module, path) != NO_WORD && path[0] == '/')
		whole = add_known(module, fingerprint, path);
	wcm__unmap(path, WCM_MODULE_PATH);
	return whole;
}
