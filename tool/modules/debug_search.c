/* SPDX-License-Identifier: MIT */
/* debug_search.c - searches for the separate debug file of a module, and refuses wrong
 * ones.
 */
#include "modules/module_files.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "modules/trust.h"

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

/* What a debug file must be. */
struct debug_wanted {
	struct build_id id; /* of any size */
	bool whole;         /* ID is */
	GElf_Word sum;      /* of the whole file, where ID is empty */
	struct stat main;   /* the module's own file, which is not meant */
	bool beside;        /* looked for where others may have put it */
};

static void refuse(struct debug_search *search, const char *path,
		   enum debug_reason reason, const struct build_id *id, int error)
{
	struct debug_refused *refused = &search->refused;

	if (refused->path || !(refused->path = strdup(path)))
		return;
	refused->reason = reason;
	refused->error = error;
	if (id)
		refused->id = *id;
}

/* The CRC of .gnu_debuglink, which is that of .xz files, too. */
static GElf_Word sum_of(int fd)
{
	unsigned char bytes[65536];
	uint32_t sum = 0;
	off_t at = 0;
	ssize_t count;

	for (; (count = pread(fd, bytes, sizeof(bytes), at)) > 0; at += count)
		sum = lzma_crc32(bytes, (size_t)count, sum);
	return sum;
}

/* The table of sections is at the end of a file. */
static bool is_truncated(const struct elf_file *file, const struct stat *status)
{
	const uint64_t size = (uint64_t)status->st_size;
	GElf_Ehdr header;

	return !gelf_getehdr(file->elf, &header) || header.e_shoff > size ||
	       (uint64_t)header.e_shnum * header.e_shentsize > size - header.e_shoff;
}

/* Whether FILE, at PATH, is what is WANTED; if not SEARCH knows why. */
static bool is_right(struct debug_search *search, const struct elf_file *file,
		     const char *path, const struct debug_wanted *wanted)
{
	const struct build_id id = build_id_of(file->elf);
	struct stat status;
	const char *why;

	if (fstat(file->fd, &status) != 0 || (status.st_dev == wanted->main.st_dev &&
					      status.st_ino == wanted->main.st_ino))
		return false;
	why = wanted->beside ? distrust_file(&status, search->owner) : NULL;
	if (!search->refused.path)
		search->refused.why = why;
	if (why)
		refuse(search, path, DEBUG_DISTRUSTED, NULL, 0);
	else if (is_truncated(file, &status))
		refuse(search, path, DEBUG_TRUNCATED, NULL, 0);
	else if (wanted->id.size == 0 && (!elf_file_is_written(file) ||
					  sum_of(file->fd) != wanted->sum))
		refuse(search, path, DEBUG_OTHER_SUM, NULL, 0);
	else if (!build_id_is(&id, &wanted->id) ||
		 (wanted->whole && id.size != wanted->id.size))
		refuse(search, path, DEBUG_OTHER_BUILD, &id, 0);
	else
		return true;
	return false;
}

/* Open the file at PATH, which is taken, if it is right; then it is *FOUND. */
static int open_if(struct debug_search *search, char *path,
		   const struct debug_wanted *wanted, char **found)
{
	struct elf_file file;
	int fd = -1;

	if (!path)
		return -1;
	if (elf_file_open(&file, path)) {
		if (is_right(search, &file, path, wanted))
			fd = dup(file.fd);
		elf_file_close(&file);
	} else if (errno == 0) {
		refuse(search, path, DEBUG_NO_ELF, NULL, 0);
	} else if (errno != ENOENT && errno != ENOTDIR) {
		refuse(search, path, DEBUG_UNREADABLE, NULL, errno);
	}
	if (fd >= 0)
		*found = path;
	else
		free(path);
	return fd;
}

/* The one file in the folders whose build-id begins with WANTED and whose name ends
 * with END. */
static int search_folders(struct debug_search *search, const struct debug_wanted *wanted,
			  const char *end, char **path)
{
	const char *folders = search->folders;
	size_t length;
	int fd = -1;

	for (; fd < 0 && (length = next_folder(&folders)); folders += length) {
		char *pattern = build_id_path(folders, length, &wanted->id, end);
		glob_t found;

		if (!pattern)
			return -1;
		if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0) {
			if (found.gl_pathc == 1)
				fd = open_if(search, strdup(found.gl_pathv[0]), wanted,
					     path);
			globfree(&found);
		}
		free(pattern);
	}
	return fd;
}

/* Let libdwfl ask the servers for the debug file of MODULE. */
static int ask_servers(struct debug_search *search, Dwfl_Module *module)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	char *name = NULL;
	void **data;
	int fd;

	if (!urls || !*urls)
		return -1;
	dwfl_module_info(module, &data, NULL, NULL, NULL, NULL, NULL, NULL);
	fd = dwfl_standard_find_debuginfo(module, data, "", 0, NULL, NULL, 0, &name);
	free(name);
	/* The negative error is that of debuginfod_find_debuginfo(3). */
	search->server = fd < 0 ? -fd : 0;
	return fd;
}

/* The same for a module of which only the build-id is known. */
static int search_servers(struct debug_search *search, const Dwfl_Callbacks *callbacks,
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

		found = ask_servers(search, module);
		dwfl_module_info(module, &data, NULL, NULL, NULL, NULL, NULL, NULL);
		if (found < 0 && search->server == ENOENT)
			found = dwfl_build_id_find_elf(module, data, "", 0, &name,
						       &elf);
		/* The session has the ELF file open, its end closes neither. */
		fd = found >= 0 ? dup(found) : -1;
		if (found >= 0)
			close(found);
	}
	free(name);
	dwfl_end(dwfl);
	return fd;
}

int debug_search_by_id(struct debug_search *search, const Dwfl_Callbacks *callbacks,
		       const struct build_id *id, char **path)
{
	const struct debug_wanted wanted = { .id = *id };
	int fd = search_folders(search, &wanted, "*.debug", path);

	if (fd < 0 && getenv("DEBUGINFOD_URLS"))
		fd = search_servers(search, callbacks, id);
	/* Links to programs have the build-id as their whole name. */
	if (fd < 0)
		fd = search_folders(search, &wanted, "", path);
	return fd;
}

static char *join(const char *dir, size_t length, const char *inner,
		  const char *name)
{
	char *path;

	if (asprintf(&path, "%.*s%s/%s", (int)length, dir, inner, name) < 0)
		return NULL;
	return path;
}

/* The places of .gnu_debuglink: beside FILE, in .debug there, and in each of the
 * folders under the same path. */
static int search_link(struct debug_search *search, const char *file, const char *link,
		       const struct debug_wanted *wanted, char **path)
{
	struct debug_wanted beside = *wanted;
	char *dir = realpath(file, NULL), *slash;
	const char *folders = search->folders;
	size_t length;
	int fd = -1;

	beside.beside = true;
	if (!dir)
		dir = strdup(file);
	slash = dir ? strrchr(dir, '/') : NULL;
	if (slash) {
		*slash = '\0';
		fd = open_if(search, join(dir, strlen(dir), "", link), &beside, path);
		if (fd < 0)
			fd = open_if(search, join(dir, strlen(dir), "/.debug", link),
				     &beside, path);
	}
	for (; slash && fd < 0 && (length = next_folder(&folders)); folders += length)
		fd = open_if(search, join(folders, length, dir, link), wanted, path);
	free(dir);
	return fd;
}

int debug_search_of(struct debug_search *search, Dwfl_Module *module, const char *file,
		    const char *link, GElf_Word sum, char **path)
{
	struct debug_wanted wanted = { .whole = true, .sum = sum };
	const char *folders = search->folders;
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(module, &bias);
	size_t length;
	int fd = -1;

	if (!elf)
		return -1;
	wanted.id = build_id_of(elf);
	for (; wanted.id.size > 0 && fd < 0 && (length = next_folder(&folders));
	     folders += length)
		fd = open_if(search, build_id_path(folders, length, &wanted.id, ".debug"),
			     &wanted, path);
	if (file && stat(file, &wanted.main) != 0)
		memset(&wanted.main, 0, sizeof(wanted.main));
	if (fd < 0 && file && link)
		fd = search_link(search, file, link, &wanted, path);
	return fd < 0 && wanted.id.size > 0 ? ask_servers(search, module) : fd;
}
