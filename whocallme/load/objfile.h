/* SPDX-License-Identifier: MIT */
/* objfile.h - an object file's function symbols, with no trace of BFD. */
#ifndef WCM_LOAD_OBJFILE_H
#define WCM_LOAD_OBJFILE_H

#include <stddef.h>
#include <stdint.h>

#include "load/placement.h"
#include "whocallme/base.h"

/* A function symbol. */
struct wcm_raw_symbol {
	const char *name; /* BFD's, until the file is closed; with its version */
	uint32_t place; /* see placement.h */
	uint32_t size;   /* 0: the symbol has none */
	uint32_t limit; /* bytes from place to the end of its section */
	uint8_t flags;  /* WCM_SYMBOL_* */
	uint8_t rank;   /* of aliases the lowest is the best: WCM_RANK_* */
};

#define WCM_RANK_UNTYPED 0x1
#define WCM_RANK_UNSIZED 0x2
#define WCM_RANK_WEAK 0x4
#define WCM_RANK_LOCAL 0x8
#define WCM_RANK_PLT 0x10

struct wcm_raw_symbols {
	struct wcm_raw_symbol *symbol;
	size_t count, room;
};

void wcm__raw_symbols_fini(struct wcm_raw_symbols *symbols);

/* An open object file.  BFD knows no threads: every call is made under
 * wcm__lock(). */
struct wcm_objfile;

/* Open the object file PATH, through FD unless it is -1; FD is closed in any
 * case.  Returns WCM_OK, WCM_EOPEN, WCM_ENOTOBJECT, WCM_EFORMAT, WCM_ENOMEM. */
enum wcm_status wcm__objfile_open(struct wcm_objfile **objfile,
				  const char *path, int fd);
void wcm__objfile_close(struct wcm_objfile *objfile);

/* Where the file's addresses have their places. */
const struct wcm_placement *
wcm__objfile_placement(const struct wcm_objfile *objfile);

/* The build-id's bytes, until the file is closed; NULL where there is none. */
const uint8_t *wcm__objfile_build_id(const struct wcm_objfile *objfile,
				     size_t *size);

/* The path of the separate debug file, by build-id, else by .gnu_debuglink and
 * its CRC; NULL where none is found.  The caller frees it. */
char *wcm__objfile_debug_path(struct wcm_objfile *objfile);

/* The file name in .gnu_debuglink, or NULL.  The caller frees it. */
char *wcm__objfile_debuglink(struct wcm_objfile *objfile);

/* Append to SYMBOLS the functions of .symtab; of .dynsym; the PLT stubs, named
 * f@plt.  A file without such a table adds nothing. */
enum wcm_status wcm__objfile_read_symtab(struct wcm_objfile *objfile,
					 struct wcm_raw_symbols *symbols);
enum wcm_status wcm__objfile_read_dynsym(struct wcm_objfile *objfile,
					 struct wcm_raw_symbols *symbols);
enum wcm_status wcm__objfile_read_plt(struct wcm_objfile *objfile,
				      struct wcm_raw_symbols *symbols);

#endif
