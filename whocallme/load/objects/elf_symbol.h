/* SPDX-License-Identifier: MIT */
/* elf_symbol.h - adds the functions of an ELF symbol table to raw symbols. */
#ifndef WCM_OBJECTS_ELF_SYMBOL_H
#define WCM_OBJECTS_ELF_SYMBOL_H

#include <stdint.h>

#include "load/objects/raw_symbols.h"

/* A symbol of a section that the layout has. */
struct wcm_elf_symbol {
	const char *name;
	uint64_t value; /* from its section's beginning */
	uint64_t size;
	unsigned section;
	unsigned type, bind; /* STT_*, STB_* */
};

/* Append SYMBOL if it is a function, a label in code that nobody gave a type, or data between
 * code.  There is room. */
void wcm__elf_symbol_add(struct wcm_raw_symbols *symbols, const struct wcm_section_layout *layout,
			 const struct wcm_elf_symbol *symbol);

#endif
