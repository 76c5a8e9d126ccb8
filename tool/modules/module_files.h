/* SPDX-License-Identifier: MIT */
/* module_files.h - opens the files of a module and explains what is missing.
 *
 * The file itself, a separate debug file, that of dwz, split debug data: libdwfl
 * looks for them, in folders and at debuginfod servers.  Which one must not be used
 * is decided, and said, here.
 */
#ifndef WCM_TOOL_MODULE_FILES_H
#define WCM_TOOL_MODULE_FILES_H

#include <elfutils/libdwfl.h>

#include "modules/build_id.h"
#include "modules/debug_search.h"
#include "modules/split_file.h"

/* Folders of separate debug files. */
struct debug_folders {
	char *folders; /* with colons in between */
	char *running; /* the file of the program that asks, or NULL */
	Dwfl_Callbacks callbacks;
};

bool debug_folders_init(struct debug_folders *folders, const char *list);
void debug_folders_free(struct debug_folders *folders);

struct module_files {
	Dwfl *dwfl;
	Dwfl_Module *module; /* NULL: there is no file */
	Dwarf *dwarf;        /* or NULL */
	Dwarf_Addr bias;     /* a module's address less that in DWARF */
	Dwarf *alternate;    /* what dwz has moved out, where libdw has not found it, or NULL */
	int alternate_fd;
	struct build_id build_id;
	char *complaint;     /* or NULL */
	char *missing;       /* why there is no debug data; NULL: there is some */
	struct debug_search search; /* for a debug file */
	char *path;          /* the module's own file, links being followed, or NULL */
	char *search_path;   /* the same of a debug file that was found */
	char *home;          /* of what debug data names: see debug/linked_file.h */
	struct split_home split; /* the same of split debug data */
	int64_t made;        /* when the module's own file was, in seconds since 1970 */
	bool searched, found;
	const uint64_t *tag; /* while they are opened: that of the module's own file, or NULL */
};

/* Find the files of the module at PATH, or NULL, with the build-id WANTED, of any
 * size, and a file of its own of the TAG (file_tag.h), unless that is NULL; FOLDERS live as
 * long, and FILES stay where they are. */
void module_files_open(struct module_files *files,
		       const struct debug_folders *folders, const char *path,
		       const struct build_id *wanted, const uint64_t *tag);
void module_files_close(struct module_files *files);

/* Add a complaint as printf(3) has it, behind those there are. */
void module_files_complain(struct module_files *files, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
