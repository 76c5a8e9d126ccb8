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

	/* Honest names are compared with one or two that begin as they do. */
	symbols->compared = most;
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

/* As wcm__name_length() has it, in a single pass over both.  What it reads is taken from LEFT;
 * once that is 0, no two are the same. */
static bool has_same_name(const char *a, const char *b, size_t *left)
{
	size_t i = 0;

	while (i < *left && a[i] == b[i] && a[i] && (a[i] != '@' || i == 0))
		i++;
	*left -= i < *left ? i + 1 : i;
	if (*left == 0)
		return false;
	return (!a[i] || (a[i] == '@' && i > 0)) && (!b[i] || (b[i] == '@' && i > 0));
}

/* Of a forged file, which may have any number at one offset, not all are compared. */
static bool is_known(struct wcm_raw_symbols *symbols, uint32_t offset, const char *name)
{
	enum { MOST_ALIASES = 256 };
	const struct wcm_raw_symbol *symbol = symbols->symbol;
	size_t at = 0, end = symbols->sorted;

	while (at < end) {
		const size_t middle = at + (end - at) / 2;

		if (symbol[middle].offset < offset)
			at = middle + 1;
		else
			end = middle;
	}
	end = at + MOST_ALIASES < symbols->sorted ? at + MOST_ALIASES : symbols->sorted;
	for (; at < end && symbols->compared > 0 && symbol[at].offset == offset; at++)
		if (!(symbol[at].rank & WCM_RANK_DATA) &&
		    has_same_name(symbol[at].name, name, &symbols->compared))
			return true;
	return false;
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
	    (symbols->sorted > 0 && is_known(symbols, (uint32_t)offset, function->name)) ||
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
