/* SPDX-License-Identifier: MIT */
/* objfile.h - an object file's function symbols, without a type of BFD's. */
#ifndef WCM_OBJECTS_OBJFILE_H
#define WCM_OBJECTS_OBJFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "load/objects/raw_symbols.h"
#include "whocallme/base.h"

/* bytes: bytes that malloc() gave, for object files that are in memory. */

struct wcm_bytes {
	uint8_t *data;
	size_t size;
};

/* Copy up to SIZE of them from OFFSET on.  Returns how many there are. */
static inline size_t wcm__bytes_copy(const struct wcm_bytes *bytes,
				     size_t offset, void *to, size_t size)
{
	size_t left = offset < bytes->size ? bytes->size - offset : 0;

	if (size > left)
		size = left;
	if (size > 0)
		memcpy(to, bytes->data + offset, size);
	return size;
}

/* An open object file.  BFD knows no threads: every call is made under
 * wcm__lock(). */
struct wcm_objfile;

/* Open the object file PATH, through FD unless it is -1; FD is closed in any
 * case.  Returns WCM_OK, WCM_EOPEN, WCM_ENOTOBJECT, WCM_EFORMAT, WCM_ENOMEM. */
enum wcm_status wcm__objfile_open(struct wcm_objfile **objfile,
				  const char *path, int fd);
void wcm__objfile_close(struct wcm_objfile *objfile);

/* Open the object file IMAGE, of the format of LIKE; IMAGE becomes its own in any
 * case.  Returns WCM_OK, WCM_EFORMAT, WCM_ENOMEM. */
enum wcm_status wcm__objfile_open_bytes(struct wcm_objfile **objfile,
					const struct wcm_objfile *like,
					const struct wcm_bytes *image);

/* Read the section NAME.  Returns WCM_OK, and the bytes are the caller's to free;
 * else WCM_ENOSYMS where there is none, WCM_EFORMAT, WCM_ENOMEM. */
enum wcm_status wcm__objfile_section(struct wcm_objfile *objfile,
				     const char *name, struct wcm_bytes *bytes);

bool wcm__objfile_has_section(const struct wcm_objfile *objfile, const char *name);

/* How the file's sections are laid out. */
const struct wcm_section_layout *
wcm__objfile_layout(const struct wcm_objfile *objfile);

/* The build-id's bytes, until the file is closed; NULL where there is none. */
const uint8_t *wcm__objfile_build_id(const struct wcm_objfile *objfile,
				     size_t *size);

/* Its descriptor, until the file is closed; -1: it is none of its own. */
int wcm__objfile_fd(const struct wcm_objfile *objfile);

/* The path of the separate debug file, by build-id, else, where it may be BY_LINK, by
 * .gnu_debuglink and its CRC; NULL where none is found.  The caller frees it. */
char *wcm__objfile_debug_path(struct wcm_objfile *objfile, bool by_link);

/* The file name in .gnu_debuglink, or NULL.  The caller frees it. */
char *wcm__objfile_debuglink(struct wcm_objfile *objfile);

enum wcm_symbol_source { WCM_SYMTAB, WCM_DYNSYM, WCM_PLT };

/* Append to SYMBOLS the functions of .symtab; of .dynsym; the PLT stubs, named
 * f@plt.  A file without such a table adds nothing. */
enum wcm_status wcm__objfile_read(struct wcm_objfile *objfile,
				  enum wcm_symbol_source source,
				  struct wcm_raw_symbols *symbols);

/* whole_tables.c: checks that an ELF file has the tables that its headers claim. */

/* Read SIZE bytes of FROM, a file's, from OFFSET on; returns how many there were. */
typedef size_t wcm_bytes_reader(const void *from, void *to, size_t size, uint64_t offset);

/* Whether SIZE bytes of FROM from OFFSET on are written, as wcm__is_written() has it. */
typedef bool wcm_written_judge(const void *from, uint64_t offset, uint64_t size);

/* False if a table of symbols or relocations lies outside of the file's SIZE bytes, or if what
 * is read of it is not written.  True of what is no ELF file, or has no section headers that can
 * be read. */
bool wcm__has_whole_tables(wcm_bytes_reader *read, wcm_written_judge *is_written,
			   const void *from, uint64_t size);

#endif
