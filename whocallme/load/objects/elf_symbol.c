/* SPDX-License-Identifier: MIT */
/* elf_symbol.c - adds the functions of an ELF symbol table to raw symbols.
 *
 * Which symbols count, and how they rank, is as objfile.c has it of what BFD makes of them.
 */
#include "load/objects/elf_symbol.h"

#include <elf.h>

#include "core/symbols/symbol_name.h"
#include "whocallme/symbol.h"

static bool is_function(unsigned type)
{
	return type == STT_FUNC || type == STT_GNU_IFUNC;
}

static bool is_wanted(const struct wcm_elf_symbol *symbol, const struct wcm_section_layout *layout)
{
	if (symbol->section == SHN_UNDEF || symbol->section >= layout->count || !*symbol->name)
		return false;
	if (is_function(symbol->type))
		return true;
	return (symbol->type == STT_NOTYPE || symbol->type == STT_OBJECT) &&
	       layout->section[symbol->section].code && !wcm__is_mere_label(symbol->name);
}

static uint8_t rank_of(const struct wcm_elf_symbol *symbol)
{
	uint8_t rank = 0;

	if (!is_function(symbol->type))
		rank |= symbol->type == STT_OBJECT ? WCM_RANK_DATA : WCM_RANK_UNTYPED;
	if (symbol->size == 0)
		rank |= WCM_RANK_UNSIZED;
	if (symbol->bind == STB_WEAK)
		rank |= WCM_RANK_WEAK;
	else if (symbol->bind != STB_GLOBAL && symbol->bind != STB_GNU_UNIQUE)
		rank |= WCM_RANK_LOCAL;
	return rank;
}

static uint8_t flags_of(const struct wcm_elf_symbol *symbol)
{
	return (symbol->type == STT_GNU_IFUNC ? WCM_SYMBOL_IFUNC : 0) |
	       (symbol->size == 0 ? WCM_SYMBOL_UNSIZED : 0);
}

void wcm__elf_symbol_add(struct wcm_raw_symbols *symbols, const struct wcm_section_layout *layout,
			 const struct wcm_elf_symbol *symbol)
{
	if (!is_wanted(symbol, layout))
		return;
	wcm__raw_symbols_add(symbols, layout, symbol->section, symbol->value,
			     &(struct wcm_sized_name){ .name = symbol->name,
						       .size = symbol->size,
						       .flags = flags_of(symbol),
						       .rank = rank_of(symbol) });
}
