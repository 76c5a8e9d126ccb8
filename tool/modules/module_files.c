/* SPDX-License-Identifier: MIT */
/* module_files.c - opens the files of a module and explains what is missing. */
#include "modules/module_files.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/file_tag.h"
#include "modules/abbrevs.h"
#include "modules/debug_bytes.h"
#include "modules/linked_file.h"

/* libdwfl asks the servers after no folder, since find_debuginfo() has looked there. */
static char *nowhere = "/proc/self/no/folder";

/* Answers libdwfl, once for a module: with -1 where there is none, without an errno. */
static int find_debuginfo(Dwfl_Module *module, void **userdata, const char *name,
			  Dwarf_Addr base, const char *file, const char *link,
			  GElf_Word sum, char **path)
{
	struct module_files *files = *userdata;
	const char *slash = file ? strrchr(file, '/') : NULL;
	char *by_name = NULL;
	int fd = -1;

	(void)name;
	(void)base;
	if (files && !files->searched) {
		files->searched = true;
		if (!link && slash && files->build_id.size > 0 &&
		    asprintf(&by_name, "%s.debug", slash + 1) < 0)
			by_name = NULL;
		fd = debug_search_of(&files->search, module, file,
				     link ? link : by_name, sum, path);
		files->found = fd >= 0;
		files->search_path = fd >= 0 ? linked_path(fd) : NULL;
		free(by_name);
	}
	errno = 0;
	return fd;
}

bool debug_folders_init(struct debug_folders *folders, const char *list)
{
	memset(folders, 0, sizeof(*folders));
	folders->folders = strdup(list);
	if (!folders->folders)
		return false;
	folders->callbacks = (Dwfl_Callbacks){
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = find_debuginfo,
		.section_address = dwfl_offline_section_address,
		.debuginfo_path = &nowhere,
	};
	return true;
}

void debug_folders_free(struct debug_folders *folders)
{
	free(folders->folders);
	free(folders->running);
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
	struct stat status;

	files->dwfl = dwfl_begin(&folders->callbacks);
	if (!files->dwfl) {
		close(fd);
		return false;
	}
	files->path = linked_path(fd);
	if (fstat(fd, &status) == 0) {
		files->search.owner = status.st_uid;
		files->made = status.st_mtime;
	}
	dwfl_report_begin(files->dwfl);
	files->module = dwfl_report_elf(files->dwfl, path, path, fd, 0, true);
	if (!files->module) {
		close(fd);
	} else {
		void **data;

		dwfl_module_info(files->module, &data, NULL, NULL, NULL, NULL, NULL,
				 NULL);
		*data = files;
	}
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

/* The file that was found in place of a debug file of the build WANTED. */
static void complain_of_refused(struct module_files *files,
				const struct build_id *wanted, const char *why)
{
	const struct debug_refused *refused = &files->search.refused;

	switch (refused->reason) {
	case DEBUG_OTHER_BUILD:
		complain_of_build(files, refused->path, &refused->id, wanted, why);
		break;
	case DEBUG_OTHER_SUM:
		module_files_complain(files,
				      "%s is not used: its checksum is not that in "
				      "the program's .gnu_debuglink", refused->path);
		break;
	case DEBUG_TRUNCATED:
		module_files_complain(files, "%s is not used: it is truncated",
				      refused->path);
		break;
	case DEBUG_NO_ELF:
		module_files_complain(files, "%s is not used: it is not an ELF file",
				      refused->path);
		break;
	case DEBUG_DISTRUSTED:
		module_files_complain(files, "%s is not used: %s", refused->path,
				      refused->why);
		break;
	case DEBUG_UNREADABLE:
		module_files_complain(files, "%s is not used: %s", refused->path,
				      strerror(refused->error));
	}
}

/* Whether the file at PATH, which is open as FD, is the one that is mapped. */
static bool is_mapped(struct module_files *files, const char *path, int fd)
{
	if (!files->tag || (*files->tag != 0 && wcm__file_tag(fd) == *files->tag))
		return true;
	module_files_complain(files, "%s is not used: %s", path, *files->tag == 0 ?
			      "the file that is mapped has been deleted or replaced" :
			      "it differs from the file that is mapped in device, inode, size "
			      "or time of modification");
	return false;
}

/* Open the file at PATH, if it is of the build WANTED, as that of the module called
 * NAME.  *ERROR is that of opening it, or -1 where it was opened or has been
 * complained of. */
static bool open_path(struct module_files *files, const struct debug_folders *folders,
		      const char *path, const char *name,
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
	if (!is_mapped(files, path, file.fd) || !build_id_is(&id, wanted)) {
		if (!files->complaint)
			complain_of_build(files, path, &id, wanted, "was asked for");
		elf_file_close(&file);
		return false;
	}
	fd = dup(file.fd);
	elf_file_close(&file);
	if (fd >= 0 && report_file(files, folders, name, fd)) {
		files->build_id = id;
		return true;
	}
	module_files_complain(files, "%s cannot be read: %s", path,
			      dwfl_errmsg(-1));
	return false;
}

/* Open the program that asks, if it is of the build WANTED: its file at PATH may have
 * been deleted or replaced. */
static bool open_running(struct module_files *files,
			 const struct debug_folders *folders, const char *path,
			 const struct build_id *wanted)
{
	char *complaint = files->complaint;
	bool opened;
	int error;

	if (!folders->running || (wanted->size == 0 && !(files->tag && *files->tag)))
		return false;
	files->complaint = NULL;
	opened = open_path(files, folders, folders->running, path, wanted, &error);
	free(opened ? complaint : files->complaint);
	files->complaint = opened ? NULL : complaint;
	return opened;
}

/* Open what is found for the build-id WANTED alone. */
static bool open_build_id(struct module_files *files,
			  const struct debug_folders *folders,
			  const struct build_id *wanted)
{
	char *path = NULL;
	int fd = debug_search_by_id(&files->search, &folders->callbacks, wanted, &path);

	if (fd < 0) {
		if (files->search.refused.path)
			complain_of_refused(files, wanted, "was asked for");
		return false;
	}
	if (report_file(files, folders, path ? path : "debuginfod", fd)) {
		GElf_Addr bias;

		files->build_id =
			build_id_of(dwfl_module_getelf(files->module, &bias));
	}
	free(path);
	return files->module != NULL;
}

/* What the servers that were asked have answered. */
static char *server_answer(const struct debug_search *search)
{
	char *text = NULL;

	if (search->server == 0)
		return strdup(", and DEBUGINFOD_URLS is not set");
	if (search->server == ENOENT)
		return strdup(", nor on DEBUGINFOD_URLS");
	if (asprintf(&text, "; DEBUGINFOD_URLS was asked: no answer (%s)",
		     search->server == EPERM ? "libdebuginfod is missing"
					     : strerror(search->server)) < 0)
		return NULL;
	return text;
}

static void complain_of_nothing(struct module_files *files,
				const struct debug_folders *folders,
				const char *path, int error,
				const struct build_id *wanted)
{
	char id[BUILD_ID_SHORT], *answer;

	if (path && *path == '[')
		return; /* the kernel's [vdso], which has no file */
	if (path && error > 0)
		module_files_complain(files, "%s: %s", path, strerror(error));
	else if (path && error == 0)
		module_files_complain(files, "%s is not an ELF file", path);
	if (path || wanted->size == 0 || files->complaint)
		return;
	answer = server_answer(&files->search);
	module_files_complain(files, "no file with %s is in %s%s",
			      build_id_short(wanted, id), folders->folders,
			      answer ? answer : "");
	free(answer);
}

/* Whether the alternate file that libdw has found, if it has, is of the build WANTED. */
static bool is_alternate(const struct module_files *files, const struct build_id *wanted,
			 struct build_id *id)
{
	Dwarf *alternate = dwarf_getalt(files->dwarf);

	*id = alternate ? build_id_of(dwarf_getelf(alternate)) : (struct build_id){ .size = 0 };
	return alternate && build_id_is(id, wanted);
}

/* Search the folders and servers for a file of the build WANTED, and have it be the alternate. */
static bool take_alternate(struct module_files *files, const struct debug_folders *folders,
			   const struct build_id *wanted)
{
	struct debug_search search = { .folders = folders->folders,
				       .owner = files->search.owner };
	char *path = NULL;
	const int fd = debug_search_by_id(&search, &folders->callbacks, wanted, &path);
	Dwarf *found = fd >= 0 ? dwarf_begin(fd, DWARF_C_READ) : NULL;

	free(path);
	free(search.refused.path);
	if (found && !linked_further(dwarf_getelf(found)) && abbrevs_are_fit(found)) {
		dwarf_setalt(files->dwarf, found);
		files->alternate = found;
		files->alternate_fd = fd;
		return true;
	}
	dwarf_end(found);
	if (fd >= 0)
		close(fd);
	return false;
}

/* What dwz moved out of the debug data into another file is missing without it.  Of
 * another build, which libdw does not look at, it would be nonsense: then all that
 * refers to it is given up. */
static void check_alternate(struct module_files *files, const struct debug_folders *folders)
{
	char is[BUILD_ID_SHORT], want[BUILD_ID_SHORT];
	struct build_id id, wanted;
	const char *name, *fault;
	const void *bytes;
	ssize_t size = dwelf_dwarf_gnu_debugaltlink(files->dwarf, &name, &bytes);

	if (size <= 0)
		return;
	wanted = build_id_make(bytes, (size_t)size);
	fault = linked_fault(files->home, files->search.owner, name);
	if ((!fault && is_alternate(files, &wanted, &id)) ||
	    take_alternate(files, folders, &wanted))
		return;
	if (fault)
		module_files_complain(files, "%s is not used: %s", name, fault);
	else if (!dwarf_getalt(files->dwarf))
		module_files_complain(files, "%s, which debug data needs, is not found, nor is a "
				      "file with %s in %s", name,
				      build_id_short(&wanted, want), folders->folders);
	else
		module_files_complain(files, "%s is of another build and not used: it has %s, "
				      "debug data needs %s", name, build_id_short(&id, is),
				      build_id_short(&wanted, want));
	if (fault || dwarf_getalt(files->dwarf))
		files->dwarf = NULL;
}

/* Of what is made to take all memory libdw is not to read any. */
static bool check_abbreviations(struct module_files *files)
{
	if (abbrevs_are_fit(files->dwarf))
		return true;
	module_files_complain(files, "its debug data is not used: its units share too many "
				     "abbreviations");
	files->dwarf = NULL;
	return false;
}

/* Why there is no debug data, and what to do about it. */
static void explain_missing(struct module_files *files)
{
	const char *debug_file = NULL;
	char *found = NULL, *answer = NULL;

	dwfl_module_info(files->module, NULL, NULL, NULL, NULL, NULL, NULL, &debug_file);
	if (files->found && asprintf(&found, "%s has none (%s); ",
				     debug_file ? debug_file : "its debug file",
				     dwfl_errmsg(-1)) < 0)
		found = NULL;
	if (files->search.server != 0)
		answer = server_answer(&files->search);
	if (asprintf(&files->missing,
		     "no debug data%s: %sinstall its debug file%s give --debug-dir%s",
		     answer ? answer : "", found ? found : "", answer ? " or" : ",",
		     answer ? "" : ", or set DEBUGINFOD_URLS") < 0)
		files->missing = NULL;
	free(found);
	free(answer);
}

/* zstd_fault() of the file with the debug data; *PATH is its name. */
static const char *fault_of(struct module_files *files, const char **path)
{
	const char *main = NULL, *debug = NULL, *fault;
	struct elf_file file;
	GElf_Addr bias;

	dwfl_module_info(files->module, NULL, NULL, NULL, NULL, NULL, &main, &debug);
	*path = debug ? debug : main;
	if (files->dwarf)
		return zstd_fault(dwarf_getelf(files->dwarf));
	if (!debug)
		return zstd_fault(dwfl_module_getelf(files->module, &bias));
	/* libdwfl has closed it again. */
	if (!elf_file_open(&file, debug))
		return NULL;
	fault = zstd_fault(file.elf);
	elf_file_close(&file);
	return fault;
}

/* To libdw, debug data that libelf cannot decompress is not there.  True where it has
 * been complained of. */
static bool complain_of_zstd(struct module_files *files)
{
	const char *path, *fault = fault_of(files, &path);

	if (fault)
		module_files_complain(files,
				      "the debug data of %s is compressed by zstd, which "
				      "elfutils cannot read here (%s): use objcopy "
				      "--decompress-debug-sections, or elfutils with "
				      "zstd", path, fault);
	return fault;
}

/* Have HOME be that of the file with the debug data. */
static void find_home(struct module_files *files, const struct debug_folders *folders)
{
	GElf_Addr bias;
	const bool is_own = dwarf_getelf(files->dwarf) == dwfl_module_getelf(files->module, &bias);
	const char *data = is_own ? files->path : files->search_path;

	files->home = linked_home(data);
	files->split = (struct split_home){
		.folder = files->home, .program = files->path, .data = data,
		.folders = folders->folders, .owner = files->search.owner,
	};
}

/* The debug data, and the reason where there is none though there is a file for it. */
static void open_dwarf(struct module_files *files, const struct debug_folders *folders)
{
	files->dwarf = dwfl_module_getdwarf(files->module, &files->bias);
	if (files->dwarf) {
		find_home(files, folders);
		if (check_abbreviations(files))
			check_alternate(files, folders);
		if (!files->dwarf)
			return; /* it has been complained of */
	}
	if (complain_of_zstd(files) || files->dwarf)
		return;
	if (files->search.refused.path)
		complain_of_refused(files, &files->build_id, "is the program's");
	else
		explain_missing(files);
}

void module_files_open(struct module_files *files,
		       const struct debug_folders *folders, const char *path,
		       const struct build_id *wanted, const uint64_t *tag)
{
	int error = -1;
	bool found;

	memset(files, 0, sizeof(*files));
	files->tag = tag;
	files->search.folders = folders->folders;
	found = path && (open_path(files, folders, path, path, wanted, &error) ||
			 open_running(files, folders, path, wanted));
	if (!found && wanted->size > 0)
		found = open_build_id(files, folders, wanted);
	if (found)
		open_dwarf(files, folders);
	else
		complain_of_nothing(files, folders, path, error, wanted);
	files->tag = NULL;
}

void module_files_close(struct module_files *files)
{
	if (files->dwfl)
		dwfl_end(files->dwfl);
	if (files->alternate) {
		dwarf_end(files->alternate);
		close(files->alternate_fd);
	}
	free(files->search.refused.path);
	split_home_close(&files->split);
	free(files->home);
	free(files->path);
	free(files->search_path);
	free(files->complaint);
	free(files->missing);
	memset(files, 0, sizeof(*files));
}
