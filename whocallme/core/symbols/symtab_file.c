/* SPDX-License-Identifier: MIT */
/* symtab_file.c (SAFE) - opens the file of a loaded module, and finds its .symtab or a section.
 *
 * The file is believed only if it is the one that is mapped.  It is read, never mapped:
 * someone may be cutting it short.
 */
#include "core/symbols/symtab_file.h"

#include <string.h>

#include "core/modules/module_origin.h"
#include "core/os/auxv.h"
#include "core/os/file.h"
#include "core/os/read.h"
#include "format/file_tag.h"

enum { MOST_SECTIONS = 1 << 20 };

bool wcm__symtab_read(const struct wcm_symtab_search *search, uint64_t at, void *to,
		      size_t size)
{
	return at <= search->file_size && size <= search->file_size - at &&
	       wcm__pread(search->fd, to, size, at) == (long)size;
}

static bool take_file(struct wcm_symtab_search *search, int fd)
{
	struct stat stat;

	if (wcm__fstat(fd, &stat) != 0 || !S_ISREG(stat.st_mode))
		return false;
	search->fd = fd;
	search->file_size = (uint64_t)stat.st_size;
	return true;
}

/* A FIFO must not block us. */
static bool open_file(struct wcm_symtab_search *search, const char *path)
{
	const int fd = wcm__open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd >= 0 && take_file(search, fd))
		return true;
	if (fd >= 0)
		wcm__close(fd);
	return false;
}

bool wcm__symtab_is_mapped(struct wcm_symtab_search *search, uint64_t offset, uint64_t size)
{
	unsigned char *ours = search->lot.byte[0], *theirs = search->lot.byte[1];
	const ElfW(Phdr) *phdr = search->phdr;

	for (size_t i = 0; i < search->head.e_phnum; i++, phdr++)
		if (phdr->p_type == PT_LOAD && offset >= phdr->p_vaddr &&
		    offset - phdr->p_vaddr < phdr->p_filesz &&
		    size <= phdr->p_filesz - (offset - phdr->p_vaddr))
			return size <= sizeof(search->lot.byte[0]) &&
			       wcm__symtab_read(search,
						phdr->p_offset + (offset - phdr->p_vaddr),
						ours, size) &&
			       wcm__read_memory(search->module->bias + offset, theirs,
						size) &&
			       memcmp(ours, theirs, size) == 0;
	return false;
}

static bool has_mapped_headers(struct wcm_symtab_search *search)
{
	const struct wcm_module *module = search->module;
	const ElfW(Ehdr) *head = &search->head;
	const size_t size = module->phnum * sizeof(*search->phdr);

	return module->phnum <= WCM_SYMTAB_PHDRS &&
	       wcm__symtab_read(search, 0, &search->head, sizeof(*head)) &&
	       memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 &&
	       head->e_phnum == module->phnum &&
	       head->e_phentsize == sizeof(*search->phdr) &&
	       wcm__symtab_read(search, head->e_phoff, search->phdr, size) &&
	       wcm__read_memory((uintptr_t)module->phdr, search->lot.phdr, size) &&
	       memcmp(search->phdr, search->lot.phdr, size) == 0;
}

static bool is_mapped_file(struct wcm_symtab_search *search)
{
	const struct wcm_module *module = search->module;

	return has_mapped_headers(search) &&
	       (module->build_id_size == 0 ||
		wcm__symtab_is_mapped(search, (uintptr_t)module->build_id - module->bias,
				      module->build_id_size));
}

bool wcm__symtab_section(const struct wcm_symtab_search *search, uint64_t index,
			 ElfW(Shdr) *section)
{
	return search->head.e_shoff <= search->file_size &&
	       wcm__symtab_read(search, search->head.e_shoff + index * sizeof(*section),
				section, sizeof(*section));
}

/* Section 0 has the number where it is too large for the ELF header. */
static uint64_t count_sections(struct wcm_symtab_search *search)
{
	ElfW(Shdr) first;

	if (search->head.e_shoff == 0 || search->head.e_shentsize != sizeof(first))
		return 0;
	if (search->head.e_shnum > 0)
		return search->head.e_shnum;
	if (!wcm__symtab_section(search, 0, &first) || first.sh_size > MOST_SECTIONS)
		return 0;
	return first.sh_size;
}

static bool is_in_file(const struct wcm_symtab_search *search, const ElfW(Shdr) *section)
{
	return section->sh_offset <= search->file_size &&
	       section->sh_size <= search->file_size - section->sh_offset;
}

static bool take_symtab(struct wcm_symtab_search *search, const ElfW(Shdr) *section,
			uint64_t sections)
{
	search->symbols = *section;
	return section->sh_entsize == sizeof(ElfW(Sym)) && is_in_file(search, section) &&
	       section->sh_link < sections &&
	       wcm__symtab_section(search, section->sh_link, &search->strings) &&
	       search->strings.sh_type == SHT_STRTAB &&
	       is_in_file(search, &search->strings);
}

/* Whether that is the name of SECTION, among the section names that TEXT has: the first, which
 * in a file that is mapped are all. */
static bool is_named(const struct wcm_symtab_search *search, const ElfW(Shdr) *section,
		     const char *name)
{
	const size_t size = strlen(name) + 1;

	return section->sh_name < search->strings.sh_size &&
	       size <= search->strings.sh_size - section->sh_name &&
	       memcmp(search->text[0] + section->sh_name, name, size) == 0;
}

static bool read_section_names(struct wcm_symtab_search *search)
{
	ElfW(Shdr) *names = &search->strings;

	if (!wcm__symtab_section(search, search->head.e_shstrndx, names))
		return false;
	if (names->sh_size > sizeof(search->text[0]))
		names->sh_size = sizeof(search->text[0]);
	return wcm__symtab_read(search, names->sh_offset, search->text[0], names->sh_size);
}

/* The first section of TYPE and, unless that is NULL, NAME. */
static bool find_header(struct wcm_symtab_search *search, uint32_t type, const char *name,
			ElfW(Shdr) *found)
{
	enum { LOT = sizeof(search->lot.section) / sizeof(search->lot.section[0]) };
	const uint64_t count = count_sections(search);
	const ElfW(Shdr) *section = search->lot.section;

	for (uint64_t at = 0; at < count; at += LOT) {
		const size_t part = count - at < LOT ? count - at : LOT;

		if (!wcm__symtab_read(search, search->head.e_shoff + at * sizeof(*section),
				      search->lot.section, part * sizeof(*section)))
			return false;
		for (size_t i = 0; i < part; i++)
			if (section[i].sh_type == type &&
			    (!name || is_named(search, &section[i], name))) {
				*found = section[i];
				return true;
			}
	}
	return false;
}

static bool find_symtab(struct wcm_symtab_search *search)
{
	ElfW(Shdr) found;

	return find_header(search, SHT_SYMTAB, NULL, &found) &&
	       take_symtab(search, &found, count_sections(search));
}

/* The executable that the kernel has started: under its dynamic linker's name it is none. */
static bool open_executable(struct wcm_symtab_search *search)
{
	if (!open_file(search, "/proc/self/exe"))
		return false;
	if (is_mapped_file(search))
		return true;
	wcm__close(search->fd);
	return false;
}

/* By its build-id and its whole name, or by the file that the kernel has mapped.  The vdso has
 * no file. */
static bool open_module(struct wcm_symtab_search *search, const struct wcm_module *module)
{
	char *path = search->text[0];
	uint64_t tag;

	if (!module->path || module->path[0] == '[')
		return false;
	if (module->build_id_size > 0 && module->path[0] == '/')
		return open_file(search, module->path);
	tag = wcm__module_file(module, path);
	if ((module->build_id_size == 0 && tag == 0) || !open_file(search, path))
		return false;
	if (module->build_id_size > 0 || wcm__file_tag(search->fd) == tag)
		return true;
	wcm__close(search->fd);
	return false;
}

/* Open MODULE's file, if that is what is mapped. */
static bool open_mapped(struct wcm_symtab_search *search, const struct wcm_module *module)
{
	search->module = module;
	if (search->only_executable) {
		if ((uintptr_t)module->phdr != wcm__auxv(AT_PHDR))
			return false;
		if (open_executable(search))
			return true;
	}
	if (!open_module(search, module))
		return false;
	if (is_mapped_file(search))
		return true;
	wcm__close(search->fd);
	return false;
}

bool wcm__symtab_take(struct wcm_symtab_search *search, const struct wcm_module *module, int fd)
{
	search->module = module;
	return take_file(search, fd) &&
	       wcm__symtab_read(search, 0, &search->head, sizeof(search->head)) &&
	       memcmp(search->head.e_ident, ELFMAG, SELFMAG) == 0 && find_symtab(search);
}

bool wcm__symtab_open(struct wcm_symtab_search *search, const struct wcm_module *module)
{
	if (!open_mapped(search, module))
		return false;
	if (find_symtab(search))
		return true;
	wcm__close(search->fd);
	return false;
}

bool wcm__symtab_open_section(struct wcm_symtab_search *search, const struct wcm_module *module,
			      uint32_t type, const char *name, ElfW(Shdr) *section)
{
	if (!open_mapped(search, module))
		return false;
	if (read_section_names(search) && find_header(search, type, name, section))
		return true;
	wcm__close(search->fd);
	return false;
}

bool wcm__symtab_find_section(struct wcm_symtab_search *search,
			      const struct wcm_module *module, uint32_t type,
			      const char *name, ElfW(Shdr) *section)
{
	if (!wcm__symtab_open_section(search, module, type, name, section))
		return false;
	wcm__close(search->fd);
	return true;
}
