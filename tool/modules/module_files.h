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
#include <libelf.h>
#include <stdbool.h>

#include "modules/build_id.h"
#include "modules/split_file.h"

/* debug_search.c: searches for the separate debug file of a module, and refuses wrong ones.  The
 * folders are looked at here and not by dwfl_standard_find_debuginfo(3), which takes the first
 * file of the right name: it believes what other users have put beside a program, waits for the
 * writer of a named pipe, and says neither that a file is of another build nor looks into the
 * next folder then.  It asks the servers alone. */

/* A file that is where a debug file would be and must not be used. */
struct debug_refused {
	char *path; /* the caller's to free */
	enum debug_reason {
		DEBUG_OTHER_BUILD,
		DEBUG_OTHER_SUM,  /* than that in the module, which has no build-id */
		DEBUG_TRUNCATED,
		DEBUG_NO_ELF,
		DEBUG_DISTRUSTED, /* WHY says it */
		DEBUG_UNREADABLE, /* ERROR says why */
	} reason;
	struct build_id id; /* of another build */
	const char *why;
	int error;
};

struct debug_search {
	const char *folders; /* with colons between */
	uid_t owner; /* of the module's own file */
	struct debug_refused refused; /* the first, if there is one; its path is NULL
				       * before */
	int server; /* the error of the servers, ENOENT: they have none; 0: not asked */
};

/* A descriptor of a file of the build WANTED, or -1: a debug file by preference,
 * else the program; in SEARCH's folders or from a server, for which CALLBACKS are.
 * *PATH is the caller's to free, or NULL where it has no name.  Only a file in a folder
 * is found by the first bytes of a build-id. */
int debug_search_by_id(struct debug_search *search, const Dwfl_Callbacks *callbacks,
		       const struct build_id *wanted, char **path);

/* The same of the debug file of MODULE, whose own file is at FILE, if it is there
 * still, by build-id and by LINK and SUM of its .gnu_debuglink, if that is not NULL. */
int debug_search_of(struct debug_search *search, Dwfl_Module *module, const char *file,
		    const char *link, GElf_Word sum, char **path);

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

/* offered.c: has libdw take a file that it would not find, or not read.  libdw opens split debug
 * data itself, by two names that it makes; whatever else is known of where the file is, or of
 * what has to be left out of it, it cannot be told.  So open(2) is this program's own, and
 * answers with the file that is offered. */

/* Until it is called with -1, open(2) of any file whose name ends with that of PATH's file
 * opens FD once more, and no other file can be opened to be read: libdw, from 0.191 on, would
 * sooner take a package beside the program, whoever has put it there. */
void offer_file(int fd, const char *path);

/* packed_symbols.c: tells whether libdwfl can read the .gnu_debugdata of a file. */

/* False where ELF has one whose symbols libdwfl gives up half-way, and then reads from
 * memory that it has freed, or one that unpacks to far more than object files do. */
bool packed_symbols_are_sound(Elf *elf);

#endif
