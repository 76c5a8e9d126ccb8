/* SPDX-License-Identifier: MIT */
/* module_files.c - which files are a module's own? */
#include "debug/module_files.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "debug/debug_search.h"

bool debug_folders_init(struct debug_folders *folders, const char *list)
{
	memset(folders, 0, sizeof(*folders));
	folders->folders = strdup(list);
	/* The file's own folder, .debug in it, and the folders with its path. */
	if (!folders->folders || asprintf(&folders->path, ":.debug:%s", list) < 0) {
		free(folders->folders);
		return false;
	}
	folders->callbacks = (Dwfl_Callbacks){
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
		.debuginfo_path = &folders->path,
	};
	return true;
}

void debug_folders_free(struct debug_folders *folders)
{
	free(folders->folders);
	free(folders->path);
}

void module_files_complain(struct module_files *files, const char *format, ...)
{
	char *text, *all = NULL;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0)
		return;
	if (!files->complaint) {
		files->complaint = text;
		return;
	}
	if (asprintf(&all, "%s; %s", files->complaint, text) >= 0) {
		free(files->complaint);
		files->complaint = all;
	}
	free(text);
}

/* Make FD, which is taken, the module's own file. */
static bool report_file(struct module_files *files,
			const struct debug_folders *folders, const char *path,
			int fd)
{
	files->dwfl = dwfl_begin(&folders->callbacks);
	if (!files->dwfl) {
		close(fd);
		return false;
	}
	dwfl_report_begin(files->dwfl);
	files->module = dwfl_report_elf(files->dwfl, path, path, fd, 0, true);
	if (!files->module)
		close(fd);
	dwfl_report_end(files->dwfl, NULL, NULL);
	return files->module != NULL;
}

/* The file at PATH has the build-id ID instead of WANTED, which is what WHY says. */
static void complain_of_build(struct module_files *files, const char *path,
			      const struct build_id *id,
			      const struct build_id *wanted, const char *why)
{
	char is[BUILD_ID_SHORT], want[BUILD_ID_SHORT];

	module_files_complain(files,
			      "%s is of another build and not used: it has %s, %s %s",
			      path, build_id_short(id, is),
			      build_id_short(wanted, want), why);
}

/* Open the file at PATH, if it is of the build WANTED.  *ERROR is that of opening
 * it, or -1 where it was opened or has been complained of. */
static bool open_path(struct module_files *files,
		      const struct debug_folders *folders, const char *path,
		      const struct build_id *wanted, int *error)
{
	struct elf_file file;
	struct build_id id;
	int fd;

	*error = -1;
	if (!elf_file_open(&file, path)) {
		*error = errno;
		return false;
	}
	id = build_id_of(file.elf);
	if (!build_id_is(&id, wanted)) {
		complain_of_build(files, path, &id, wanted, "was asked for");
		elf_file_close(&file);
		return false;
	}
	fd = dup(file.fd);
	elf_file_close(&file);
	if (fd >= 0 && report_file(files, folders, path, fd)) {
		files->build_id = id;
		return true;
	}
	module_files_complain(files, "%s cannot be read: %s", path,
			      dwfl_errmsg(-1));
	return false;
}

/* Open what is found for the build-id WANTED alone. */
static bool open_build_id(struct module_files *files,
			  const struct debug_folders *folders,
			  const struct build_id *wanted)
{
	struct debug_mismatch wrong = { 0 };
	char *path = NULL;
	int fd = debug_search_by_id(&folders->callbacks, folders->folders,
				    wanted, &path, &wrong);

	if (fd < 0) {
		if (wrong.path)
			complain_of_build(files, wrong.path, &wrong.id, wanted,
					  "was asked for");
		free(wrong.path);
		return false;
	}
	free(wrong.path);
	if (report_file(files, folders, path ? path : "debuginfod", fd)) {
		GElf_Addr bias;

		files->build_id =
			build_id_of(dwfl_module_getelf(files->module, &bias));
	}
	free(path);
	return files->module != NULL;
}

static void complain_of_nothing(struct module_files *files,
				const struct debug_folders *folders,
				const char *path, int error,
				const struct build_id *wanted)
{
	char id[BUILD_ID_SHORT];

	if (path && error > 0)
		module_files_complain(files, "%s: %s", path, strerror(error));
	else if (path && error == 0)
		module_files_complain(files, "%s is not an ELF file", path);
	else if (!path && wanted->size > 0 && !files->complaint)
		module_files_complain(
			files, "no file with %s is in %s%s",
			build_id_short(wanted, id), folders->folders,
			getenv("DEBUGINFOD_URLS") ? " or on DEBUGINFOD_URLS" :
						    ", and DEBUGINFOD_URLS is not set");
}

/* What dwz moved out of the debug data into another file is missing without it.  Of
 * another build, which libdw does not look at, it would be nonsense: then all that
 * refers to it is given up. */
static void check_alternate(struct module_files *files)
{
	char is[BUILD_ID_SHORT], want[BUILD_ID_SHORT];
	struct build_id id, wanted;
	const char *name;
	const void *bytes;
	ssize_t size = dwelf_dwarf_gnu_debugaltlink(files->dwarf, &name, &bytes);
	Dwarf *alternate = size > 0 ? dwarf_getalt(files->dwarf) : NULL;

	if (size <= 0)
		return;
	if (!alternate) {
		module_files_complain(files,
				      "%s, which debug data needs, is not found",
				      name);
		return;
	}
	id = build_id_of(dwarf_getelf(alternate));
	wanted = build_id_make(bytes, (size_t)size);
	if (build_id_is(&id, &wanted))
		return;
	module_files_complain(files,
			      "%s is of another build and not used: it has %s, "
			      "debug data needs %s", name, build_id_short(&id, is),
			      build_id_short(&wanted, want));
	files->dwarf = NULL;
}

/* The debug data, and the reason where there is none though there is a file for it. */
static void open_dwarf(struct module_files *files,
		       const struct debug_folders *folders)
{
	struct debug_mismatch wrong;

	files->dwarf = dwfl_module_getdwarf(files->module, &files->bias);
	if (files->dwarf) {
		check_alternate(files);
		return;
	}
	if (!debug_search_mismatch(files->module, folders->folders, &wrong))
		return;
	if (wrong.by_sum)
		module_files_complain(files,
				      "%s is not used: its checksum is not that in "
				      "the program's .gnu_debuglink", wrong.path);
	else
		complain_of_build(files, wrong.path, &wrong.id,
				  &files->build_id, "is the program's");
	free(wrong.path);
}

void module_files_open(struct module_files *files,
		       const struct debug_folders *folders, const char *path,
		       const struct build_id *wanted)
{
	int error = -1;
	bool found;

	memset(files, 0, sizeof(*files));
	found = path && open_path(files, folders, path, wanted, &error);
	if (!found && wanted->size > 0)
		found = open_build_id(files, folders, wanted);
	if (found)
		open_dwarf(files, folders);
	else
		complain_of_nothing(files, folders, path, error, wanted);
}

void module_files_close(struct module_files *files)
{
	if (files->dwfl)
		dwfl_end(files->dwfl);
	free(files->complaint);
	memset(files, 0, sizeof(*files));
}
