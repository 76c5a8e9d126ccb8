/* SPDX-License-Identifier: MIT */
/* symtab_file.h (SAFE) - opens the file of a loaded module, and finds its .symtab or a section. */
#ifndef WCM_SYMBOLS_SYMTAB_FILE_H
#define WCM_SYMBOLS_SYMTAB_FILE_H

#include "core/modules/modules.h"

enum { WCM_SYMTAB_NAME = 8192, WCM_SYMTAB_LOT = 1024, WCM_SYMTAB_PHDRS = 64 };

/* A search: what was found, and the memory that it takes, which is too much for a
 * handler's stack. */
struct wcm_symtab_search {
	char *name;           /* without version and suffix of a part */
	uint64_t value, size; /* st_value, st_size */
	bool ifunc, unsized;
	uint8_t part; /* WCM_SYMBOL_COLD or WCM_SYMBOL_PART, where it is one */

	bool only_executable; /* open the executable's file alone: /proc/self/exe, or, where
			       * that is the dynamic linker's, the one that is mapped */

	const struct wcm_module *module;
	uint64_t offset, file_size, wanted_name;
	const char *variable;
	int fd;
	unsigned aliases;     /* told apart so far */
	ElfW(Ehdr) head;
	ElfW(Shdr) symbols, strings;
	ElfW(Sym) best, nearest; /* st_name is 0 where there is none */
	ElfW(Phdr) phdr[WCM_SYMTAB_PHDRS];
	union {
		ElfW(Sym) symbol[WCM_SYMTAB_LOT];
		ElfW(Shdr) section[WCM_SYMTAB_LOT / 4];
		ElfW(Phdr) phdr[WCM_SYMTAB_PHDRS];
		unsigned char byte[2][256];
	} lot;
	char text[2][WCM_SYMTAB_NAME];
};

/* Open the file of MODULE, which is loaded, by its path or the kernel's for the mapping, if it is
 * what is mapped, and find its .symtab: SEARCH has the headers then, and FD, the caller's to close.
 * False: it is not to be had.  What SEARCH held before is lost. */
bool wcm__symtab_open(struct wcm_symtab_search *search, const struct wcm_module *module);

/* The same in FD, a file that is known to be MODULE's, its debug file perhaps; it stays open. */
bool wcm__symtab_take(struct wcm_symtab_search *search, const struct wcm_module *module, int fd);

/* Find the header of MODULE's section NAME, of TYPE (SHT_PROGBITS...).  False: its file is not
 * to be had, or has no such section. */
bool wcm__symtab_find_section(struct wcm_symtab_search *search,
			      const struct wcm_module *module, uint32_t type,
			      const char *name, ElfW(Shdr) *section);

/* The same, with the file open as wcm__symtab_open() leaves it. */
bool wcm__symtab_open_section(struct wcm_symtab_search *search, const struct wcm_module *module,
			      uint32_t type, const char *name, ElfW(Shdr) *section);

/* What is open: SIZE bytes from AT on.  False: the file has not so many. */
bool wcm__symtab_read(const struct wcm_symtab_search *search, uint64_t at, void *to,
		      size_t size);

/* Whether the file has at OFFSET, in the module's numbering, what is mapped there: SIZE
 * bytes, of which there are no more than a lot takes. */
bool wcm__symtab_is_mapped(struct wcm_symtab_search *search, uint64_t offset, uint64_t size);

/* The section header INDEX. */
bool wcm__symtab_section(const struct wcm_symtab_search *search, uint64_t index,
			 ElfW(Shdr) *section);

#endif
