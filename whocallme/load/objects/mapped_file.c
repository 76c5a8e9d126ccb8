/* SPDX-License-Identifier: MIT */
/* mapped_file.c - checks that a file is the one that a module was mapped from.
 *
 * A path names what is on disk now, which after an upgrade is another file; and another
 * thread may be unloading the module.
 */
#include "load/objects/mapped_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/os/read.h"
#include "format/regular.h"

int wcm__open_file(const char *path)
{
	const int fd = path ? wcm__regular_open(path, NULL) : -1;

	return fd < 0 ? -1 : fd;
}

bool wcm__is_elf_file(int fd)
{
	char magic[SELFMAG];

	return pread(fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
	       memcmp(magic, ELFMAG, sizeof(magic)) == 0;
}

bool wcm__is_mapped_file(int fd, const struct wcm_module *module)
{
	size_t size = module->phnum * sizeof(ElfW(Phdr));
	ElfW(Phdr) *on_disk, *mapped;
	ElfW(Ehdr) ehdr;
	bool same;

	if (pread(fd, &ehdr, sizeof(ehdr), 0) != (ssize_t)sizeof(ehdr) ||
	    ehdr.e_phnum != module->phnum)
		return false;
	on_disk = malloc(size);
	mapped = malloc(size);
	same = on_disk && mapped &&
	       pread(fd, on_disk, size, (off_t)ehdr.e_phoff) == (ssize_t)size &&
	       wcm__read_memory((uintptr_t)module->phdr, mapped, size) &&
	       memcmp(on_disk, mapped, size) == 0;
	free(on_disk);
	free(mapped);
	return same;
}

bool wcm__is_mapped_path(const char *path, const struct wcm_module *module)
{
	int fd = wcm__open_file(path);
	bool same = fd != -1 && wcm__is_mapped_file(fd, module);

	if (fd != -1)
		close(fd);
	return same;
}
