/* SPDX-License-Identifier: MIT */
/* debug_file.h - finds a stripped file's symbols: in itself, or in its separate debug
 * file.
 */
#ifndef WCM_OBJECTS_DEBUG_FILE_H
#define WCM_OBJECTS_DEBUG_FILE_H

#include "load/objects/objfile.h"

/* The functions of one file, with the files that own their names. */
struct wcm_file_symbols {
	struct wcm_raw_symbols raw;  /* sorted */
	struct wcm_objfile *objfile; /* the file itself */
	struct wcm_objfile *debug;   /* its debug file, .gnu_debugdata or NULL */
	char *source;                /* the path of the file with the symbols */
	enum wcm_status debug_status; /* why a debug file that exists is unused */
};

/* Read OBJFILE's functions: of its .symtab, else of its debug file, else of its
 * .gnu_debugdata; those of its .dynsym that are not there, and its PLT stubs.  OBJFILE
 * becomes SYMBOLS' in any case.  Returns WCM_OK, WCM_ENOSYMS where there are none,
 * WCM_EFORMAT, WCM_ENOMEM. */
enum wcm_status wcm__file_symbols_init(struct wcm_file_symbols *symbols,
				       struct wcm_objfile *objfile,
				       const char *path);

/* Open the debug file of SYMBOLS' file, which was not needed for its functions.  False: there is
 * none. */
bool wcm__file_symbols_open_debug(struct wcm_file_symbols *symbols);
void wcm__file_symbols_fini(struct wcm_file_symbols *symbols);

#endif
