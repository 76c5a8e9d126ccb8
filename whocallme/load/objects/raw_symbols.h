/* SPDX-License-Identifier: MIT */
/* raw_symbols.h - holds function symbols as they come out of an object file, before a
 * table is made.
 */
#ifndef WCM_OBJECTS_RAW_SYMBOLS_H
#define WCM_OBJECTS_RAW_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/modules/modules.h"

/* section_layout.c: gives all addresses of an object file one numbering, relocatable files
 * included.  An offset is an address less the file's base.  In a relocatable file every section
 * starts at address 0, so its sections are laid out one after the other. */

struct wcm_laid_section {
	uint64_t vma, size;
	uint32_t offset;
	bool code;
};

struct wcm_section_layout {
	uint64_t base; /* the address of offset 0 */
	bool relocatable;
	unsigned count;
	struct wcm_laid_section *section; /* in the file's order */
};

/* Give every section its offset; vma, size and code are filled in. */
void wcm__section_layout_make(struct wcm_section_layout *layout);

/* The address at OFFSET, as the file's own symbol table numbers it. */
uint64_t wcm__section_layout_address(const struct wcm_section_layout *layout,
				     uint32_t offset);

/* The offset of ADDRESS, if it is code: in a relocatable file, that of the first
 * section that is long enough. */
bool wcm__section_layout_find(const struct wcm_section_layout *layout,
			      uint64_t address, uint32_t *offset);

/* A function symbol. */
struct wcm_raw_symbol {
	const char *name; /* BFD's, until the file is closed; with its version */
	uint32_t offset;  /* see section_layout.c */
	uint32_t size;   /* 0: the symbol has none */
	uint32_t limit;  /* bytes from offset to the end of its section */
	uint8_t flags;  /* WCM_SYMBOL_* */
	uint8_t rank;   /* of aliases the lowest is the best: WCM_RANK_* */
};

#define WCM_RANK_UNTYPED 0x1
#define WCM_RANK_UNSIZED 0x2
#define WCM_RANK_WEAK 0x4
#define WCM_RANK_LOCAL 0x8
#define WCM_RANK_PLT 0x10
#define WCM_RANK_DATA 0x20 /* no function: what is in front of it ends there */

struct wcm_raw_symbols {
	struct wcm_raw_symbol *symbol;
	size_t count, room;
	size_t names, most_names; /* bytes of all names, with two zeros each */
	bool is_whole; /* it has symbols that are not exported, too */

	size_t sorted; /* the first of them, by offset: what is one of these is not added again */
	size_t compared; /* bytes of names that may still be compared with theirs */
};

/* As strlen(3): of many names, by a function that is libc's own, which no hook needs here. */
static inline size_t wcm__raw_name_size(const char *name)
{
	return strnlen(name, PTRDIFF_MAX);
}

/* Make room for MORE symbols.  False where memory is short. */
bool wcm__raw_symbols_reserve(struct wcm_raw_symbols *symbols, size_t more);

/* What a symbol table says of a function besides its offset. */
struct wcm_sized_name {
	const char *name;
	uint64_t size;
	uint8_t flags, rank;
};

/* Append the function at VALUE in SECTION unless its offset cannot be told in 32
 * bits, or all names together would be longer than those of any real table.  There is
 * room. */
void wcm__raw_symbols_add(struct wcm_raw_symbols *symbols,
			  const struct wcm_section_layout *layout,
			  unsigned section, uint64_t value,
			  const struct wcm_sized_name *function);

void wcm__raw_symbols_fini(struct wcm_raw_symbols *symbols);

/* own_symbols.c: reads the functions of a loaded module's own .symtab, without BFD. */

struct wcm_own_symbols {
	struct wcm_raw_symbols raw; /* as they stand in the file */
	struct wcm_section_layout layout;
	char *strings, *exported; /* where the names of .symtab and of .dynsym are */
	bool has_debug_frame; /* the file has such a section */
};

/* Read those of MODULE's file, in a fraction of the time that BFD takes.  PLT stubs are not
 * among them.  False: there is no .symtab, or it is better left to BFD.  One thread at a
 * time; in either case SYMBOLS is to be freed. */
bool wcm__own_symbols_read(struct wcm_own_symbols *symbols, const struct wcm_module *module,
			   bool is_executable);
void wcm__own_symbols_free(struct wcm_own_symbols *symbols);

#endif
