/* SPDX-License-Identifier: MIT */
/* linked_file.c - tells whether libdw may open a file that debug data names. */
#include "modules/linked_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "modules/abbrevs.h"
#include "modules/build_id.h"
#include "modules/trust.h"

char *linked_path(int fd)
{
	char name[32];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	return realpath(name, NULL);
}

char *linked_home(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? strndup(path, (size_t)(slash - path)) : NULL;
}

/* Where libdw looks, for the caller to free, or NULL. */
static char *path_of(const char *home, const char *name)
{
	char *path;

	if (*name == '/')
		return strdup(name);
	return !home || asprintf(&path, "%s/%s", home, name) < 0 ? NULL : path;
}

bool linked_further(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return false;
	while ((section = elf_nextscn(elf, section))) {
		const char *name = gelf_getshdr(section, &header) ?
			elf_strptr(elf, names, header.sh_name) : NULL;

		if (name && strcmp(name, ".gnu_debugaltlink") == 0)
			return true;
	}
	return false;
}

static bool is_out_of_proportion(const struct elf_file *file)
{
	Dwarf *dwarf = dwarf_begin_elf(file->elf, DWARF_C_READ, NULL);
	const bool is_fit = !dwarf || abbrevs_are_fit(dwarf);

	if (dwarf)
		dwarf_end(dwarf);
	return !is_fit;
}

const char *linked_fault(const char *home, uid_t owner, const char *name)
{
	char *path = path_of(home, name);
	const char *fault = path ? distrust_path(path, owner) : NULL;
	struct elf_file file;

	if (!path || fault) {
		free(path);
		return fault;
	}
	if (elf_file_open(&file, path)) {
		if (linked_further(file.elf))
			fault = "it names another file in its turn";
		else if (is_out_of_proportion(&file))
			fault = "its units share too many abbreviations";
		elf_file_close(&file);
	} else if (errno == 0) {
		fault = "it is not an ELF file";
	} else if (errno == EFBIG || errno == EAGAIN) {
		fault = strerror(errno); /* libdw would wait for the end of a lease */
	}
	free(path);
	return fault;
}
