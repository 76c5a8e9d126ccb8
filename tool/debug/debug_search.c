/* SPDX-License-Identifier: MIT */
/* debug_search.c - which separate debug files are there? */
#include "debug/debug_search.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* DIR/.build-id/xx/yyyy and END behind it; NULL when out of memory. */
static char *build_id_path(const char *dir, size_t dir_length,
			   const struct build_id *id, const char *end)
{
	char digits[2 * BUILD_ID_MOST + 1], *path;

	for (size_t i = 0; i < id->size; i++)
		sprintf(digits + 2 * i, "%02x", id->byte[i]);
	if (asprintf(&path, "%.*s/.build-id/%.2s/%s%s", (int)dir_length, dir,
		     digits, digits + 2, end) < 0)
		return NULL;
	return path;
}

/* The next folder of a list with colons; its length, or 0 at the end. */
static size_t next_folder(const char **list)
{
	*list += strspn(*list, ":");
	return strcspn(*list, ":");
}

/* Open PATH if it is of the build WANTED, else remember it. */
static int open_if(const char *path, const struct build_id *wanted,
		   struct debug_mismatch *mismatch)
{
	struct elf_file file;
	struct build_id id;
	int fd = -1;

	if (!elf_file_open(&file, path))
		return -1;
	id = build_id_of(file.elf);
	if (build_id_is(&id, wanted))
		fd = dup(file.fd);
	else if (!mismatch->path && (mismatch->path = strdup(path)))
		mismatch->id = id;
	elf_file_close(&file);
	return fd;
}

/* The one file in FOLDERS whose build-id begins with WANTED and whose name ends with
 * END. */
static int search_folders(const char *folders, const struct build_id *wanted,
			  const char *end, char **path,
			  struct debug_mismatch *mismatch)
{
	size_t length;
	int fd = -1;

	for (; fd < 0 && (length = next_folder(&folders)); folders += length) {
		char *pattern =
			build_id_path(folders, length, wanted, end);
		glob_t found;

		if (!pattern)
			return -1;
		if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0) {
			if (found.gl_pathc == 1)
				fd = open_if(found.gl_pathv[0], wanted,
					     mismatch);
			if (fd >= 0)
				*path = strdup(found.gl_pathv[0]);
			globfree(&found);
		}
		free(pattern);
	}
	return fd;
}

/* Let libdwfl ask the servers, for a module of which only the build-id is known. */
static int search_servers(const Dwfl_Callbacks *callbacks,
			  const struct build_id *wanted)
{
	Dwfl *dwfl = dwfl_begin(callbacks);
	Dwfl_Module *module;
	char *name = NULL;
	void **data;
	int found, fd = -1;

	if (!dwfl)
		return -1;
	dwfl_report_begin(dwfl);
	module = dwfl_report_module(dwfl, "", 0, 1);
	dwfl_report_end(dwfl, NULL, NULL);
	if (module && dwfl_module_report_build_id(module, wanted->byte,
						  wanted->size, 0) == 0) {
		Elf *elf = NULL;

		dwfl_module_info(module, &data, NULL, NULL, NULL, NULL, NULL,
				 NULL);
		found = dwfl_standard_find_debuginfo(module, data, "", 0, NULL,
						     NULL, 0, &name);
		if (found < 0)
			found = dwfl_build_id_find_elf(module, data, "", 0,
						       &name, &elf);
		/* The session has the ELF file open, its end closes neither. */
		fd = found >= 0 ? dup(found) : -1;
		if (found >= 0)
			close(found);
	}
	free(name);
	dwfl_end(dwfl);
	return fd;
}

int debug_search_by_id(const Dwfl_Callbacks *callbacks, const char *folders,
		       const struct build_id *wanted, char **path,
		       struct debug_mismatch *mismatch)
{
	int fd = search_folders(folders, wanted, "*.debug", path, mismatch);

	if (fd < 0 && getenv("DEBUGINFOD_URLS"))
		fd = search_servers(callbacks, wanted);
	/* Links to programs have the build-id as their whole name. */
	if (fd < 0)
		fd = search_folders(folders, wanted, "", path, mismatch);
	return fd;
}

/* Whether the file at PATH, which is taken, is one that must not be used: not that
 * of the module, MAIN, itself, and not of its build. */
static bool is_mismatch(char *path, const struct build_id *id,
			const struct stat *main, struct debug_mismatch *mismatch)
{
	struct elf_file file;
	struct stat status;
	bool wrong;

	if (!path || !elf_file_open(&file, path)) {
		free(path);
		return false;
	}
	mismatch->path = path;
	mismatch->id = build_id_of(file.elf);
	mismatch->by_sum = id->size == 0;
	wrong = fstat(file.fd, &status) == 0 &&
		(status.st_dev != main->st_dev ||
		 status.st_ino != main->st_ino) &&
		(id->size == 0 || mismatch->id.size != id->size ||
		 !build_id_is(&mismatch->id, id));
	elf_file_close(&file);
	if (!wrong)
		free(path);
	return wrong;
}

static char *join(const char *dir, size_t length, const char *inner,
		  const char *name)
{
	char *path;

	if (asprintf(&path, "%.*s%s/%s", (int)length, dir, inner, name) < 0)
		return NULL;
	return path;
}

/* The places of .gnu_debuglink: beside MAIN, in .debug there, and in each of
 * FOLDERS under the same path. */
static bool link_mismatch(const char *main, const char *link,
			  const char *folders, const struct build_id *id,
			  struct debug_mismatch *mismatch)
{
	char *real = realpath(main, NULL), *dir;
	size_t length, home;
	struct stat status;
	bool found = false;

	if (!real || stat(real, &status) != 0) {
		free(real);
		return false;
	}
	home = (size_t)(strrchr(real, '/') - real);
	dir = strndup(real, home);
	if (dir)
		found = is_mismatch(join(real, home, "", link), id, &status,
				    mismatch) ||
			is_mismatch(join(real, home, "/.debug", link), id,
				    &status, mismatch);
	for (; dir && !found && (length = next_folder(&folders));
	     folders += length)
		found = is_mismatch(join(folders, length, dir, link), id,
				    &status, mismatch);
	free(dir);
	free(real);
	return found;
}

bool debug_search_mismatch(Dwfl_Module *module, const char *folders,
			   struct debug_mismatch *mismatch)
{
	const char *main = NULL, *link, *rest = folders;
	struct stat status = { 0 };
	struct build_id id;
	GElf_Word sum;
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(module, &bias);
	size_t length;

	if (!elf)
		return false;
	id = build_id_of(elf);
	for (; id.size > 0 && (length = next_folder(&rest)); rest += length) {
		if (is_mismatch(build_id_path(rest, length, &id, ".debug"), &id,
				&status, mismatch))
			return true;
	}
	dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, &main, NULL);
	link = dwelf_elf_gnu_debuglink(elf, &sum);
	return main && link &&
	       link_mismatch(main, link, folders, &id, mismatch);
}
