/* SPDX-License-Identifier: MIT */
/* raw_symbols.c - holds function symbols as they come out of an object file, before a
 * table is made.
 *
 * Linkers let names share a tail ("foo" in "barfoo").  A forged file may point every symbol at one
 * long name: copied, these would take the square of its size, so that the sum of all is bounded.
 */
#include "load/objects/raw_symbols.h"

#include <stdlib.h>
#include <string.h>

bool wcm__raw_symbols_reserve(struct wcm_raw_symbols *symbols, size_t more)
{
	/* Bytes for each name, and beside them; a table's names are found by 32 bits. */
	enum { AVERAGE = 1024, BESIDE = 1 << 20 };
	const size_t room = symbols->count + more;
	const uint64_t names = (uint64_t)room * AVERAGE + BESIDE;
	const size_t most = names < UINT32_MAX ? (size_t)names : UINT32_MAX;
	struct wcm_raw_symbol *grown;

	/* It never falls below what names take already. */
	if (symbols->most_names < most)
		symbols->most_names = most;
	if (room <= symbols->room)
		return true;
	grown = reallocarray(symbols->symbol, room, sizeof(*grown));
	if (!grown)
		return false;
	symbols->symbol = grown;
	symbols->room = room;
	return true;
}

/* Whether there is room for NAME.  After one that has none, none of the same file has. */
static bool take_name(struct wcm_raw_symbols *symbols, const char *name)
{
	const size_t left = symbols->most_names - symbols->names;
	const size_t size = strnlen(name, left) + 2;

	symbols->names += size < left ? size : left;
	return size < left;
}

static uint32_t at_most_31_bits(uint64_t number)
{
	return (uint32_t)(number < INT32_MAX ? number : INT32_MAX);
}

void wcm__raw_symbols_add(struct wcm_raw_symbols *symbols,
			  const struct wcm_section_layout *layout,
			  unsigned section, uint64_t value,
			  const struct wcm_sized_name *function)
{
	const struct wcm_laid_section *laid = &layout->section[section];
	uint64_t address = laid->vma + value;
	/* A damaged file may have a section below the base, or a symbol outside its section. */
	uint64_t offset = layout->relocatable ? laid->offset + value
					      : address - layout->base;

	if (address < layout->base || offset > INT32_MAX ||
	    !take_name(symbols, function->name))
		return;
	symbols->symbol[symbols->count++] = (struct wcm_raw_symbol){
		.name = function->name,
		.offset = (uint32_t)offset,
		.size = at_most_31_bits(function->size),
		.limit = at_most_31_bits(value < laid->size ? laid->size - value
							    : 0),
		.flags = function->flags,
		.rank = function->rank,
	};
}

void wcm__raw_symbols_fini(struct wcm_raw_symbols *symbols)
{
	free(symbols->symbol);
	*symbols = (struct wcm_raw_symbols){ 0 };
}

bool wcm__is_unreadable_name(const char *name)
{
	return strcmp(name, "(null)") == 0;
}
