/* SPDX-License-Identifier: MIT */
/* mapped_file.c - checks that a file is the one that a module was mapped from.
 *
 * A path names what is on disk now, which after an upgrade is another file; and another
 * thread may be unloading the module.
 */
#include "load/objects/mapped_file.h"

#include <string.h>
#include <unistd.h>

#include "core/modules/module_origin.h"
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
	return wcm__module_has_headers_of(module, fd) &&
	       (module->build_id_size > 0 || wcm__module_file_is(module, fd));
}

bool wcm__is_mapped_path(const char *path, const struct wcm_module *module)
{
	int fd = wcm__open_file(path);
	bool same = fd != -1 && wcm__module_has_headers_of(module, fd);

	if (fd != -1)
		close(fd);
	return same;
}
