/* SPDX-License-Identifier: MIT */
/* mapped_file.c - is this the file that a module was mapped from?
 *
 * A path tells what is on disk now, which after an upgrade is another file.
 */
#include "load/mapped_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int wcm__open_file(const char *path)
{
	return path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
		    : -1;
}

bool wcm__is_mapped_file(int fd, const struct wcm_module *module)
{
	size_t size = module->phnum * sizeof(ElfW(Phdr));
	ElfW(Ehdr) ehdr;
	ElfW(Phdr) *phdr;
	bool same;

	if (pread(fd, &ehdr, sizeof(ehdr), 0) != (ssize_t)sizeof(ehdr) ||
	    ehdr.e_phnum != module->phnum)
		return false;
	phdr = malloc(size);
	same = phdr &&
	       pread(fd, phdr, size, (off_t)ehdr.e_phoff) == (ssize_t)size &&
	       memcmp(phdr, module->phdr, size) == 0;
	free(phdr);
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
