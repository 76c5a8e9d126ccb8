/* SPDX-License-Identifier: MIT */
/* symtab.h - finds a function in the .symtab of a module's file. */
#ifndef WCM_SYMBOLS_SYMTAB_H
#define WCM_SYMBOLS_SYMTAB_H

#include "core/modules/modules.h"

enum { WCM_SYMTAB_NAME = 8192, WCM_SYMTAB_LOT = 1024, WCM_SYMTAB_PHDRS = 64 };

/* A search: what was found, and the memory that it takes, which is too much for a
 * handler's stack. */
struct wcm_symtab_search {
	char *name;           /* ends behind it: versions and ".cold" are cut off */
	uint64_t value, size; /* st_value, st_size */
	bool ifunc, cold, unsized;

	bool only_executable; /* open no file but /proc/self/exe: the kernel knows it by
			       * whatever name it was started, and what became of that */

	const struct wcm_module *module;
	uint64_t offset, file_size, wanted_name;
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

/* Find the function of MODULE, which is loaded, that holds OFFSET, an address in its own
 * numbering.  The file is opened by MODULE's path and believed if it is what is mapped.
 * A damaged one has no such function.  What SEARCH held before is lost. */
bool wcm__symtab_find(struct wcm_symtab_search *search,
		      const struct wcm_module *module, uint64_t offset);

/* The same of the function or variable NAME. */
bool wcm__symtab_find_name(struct wcm_symtab_search *search,
			   const struct wcm_module *module, const char *name);

/* Find the header of MODULE's section NAME.  False: its file is not to be had, or has no
 * such section. */
bool wcm__symtab_find_section(struct wcm_symtab_search *search,
			      const struct wcm_module *module, const char *name,
			      ElfW(Shdr) *section);

/* Pass every symbol of MODULE's .symtab to VISIT.  False: it is not to be had, or not all. */
typedef void wcm_symtab_visitor(struct wcm_symtab_search *search, const ElfW(Sym) *symbol);
bool wcm__symtab_visit(struct wcm_symtab_search *search, const struct wcm_module *module,
		       wcm_symtab_visitor *visit);

#endif
