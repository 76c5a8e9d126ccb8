/* SPDX-License-Identifier: MIT */
/* entries.c - walks the entries of debug data below one. */
#include "debug/entries.h"

#include <stdint.h>

/* Go from the zero that ends the entries of one level to what stands behind it. */
static bool pass_zero(struct entries *entries, Dwarf_Die *zero)
{
	Dwarf *dwarf = dwarf_cu_getdwarf(zero->cu);

	return --entries->depth > 0 &&
	       dwarf_offdie(dwarf, dwarf_dieoffset(zero) + 1, zero) &&
	       zero->cu == entries->die.cu;
}

bool entries_next(struct entries *entries, bool below)
{
	Dwarf_Die next = { .cu = entries->die.cu };

	if (below && dwarf_child(&entries->die, &next) == 0) {
		entries->depth++;
		entries->die = next;
		return true;
	}
	if (entries->depth == 0)
		return false;
	/* Where there is none beside it, libdw says where it looked: at a zero. */
	next = (Dwarf_Die){ .cu = entries->die.cu };
	if (dwarf_siblingof(&entries->die, &next) < 0 || !next.addr)
		return false;
	while (*(const uint8_t *)next.addr == 0)
		if (!pass_zero(entries, &next))
			return false;
	entries->die = next;
	return true;
}
