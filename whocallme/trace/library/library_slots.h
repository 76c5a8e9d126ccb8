/* SPDX-License-Identifier: MIT */
/* library_slots.h (SAFE) - finds the words by which a module calls others. */
#ifndef WCM_GOT_LIBRARY_SLOTS_H
#define WCM_GOT_LIBRARY_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/modules/module.h"

/* A word that the dynamic linker puts the address of another module's function into. */
struct wcm_library_slot {
	uintptr_t at;
	const ElfW(Rela) *relocation;
	const char *name;
	uint32_t number; /* among the relocations of the PLT */
	bool is_lazy;    /* one of them, which may not have been bound yet */
};

/* What the dynamic section says of them. */
struct wcm_library_tables {
	const ElfW(Rela) *calls, *data;
	size_t calls_count, data_count;
	uintptr_t *got; /* the second word is the dynamic linker's name of the module, the
			 * third where it is called; or NULL */
	uintptr_t relro_lo, relro_hi; /* pages that are read-only; or 0 */
};

/* False: MODULE, which stays mapped meanwhile, has none that are understood. */
bool wcm__library_tables(const struct wcm_module *module, struct wcm_library_tables *tables);

/* Put what MODULE calls others by into SLOT, which has room for one for each relocation of
 * TABLES, ascending by address.  Returns how many. */
size_t wcm__library_slots(const struct wcm_module *module,
			  const struct wcm_library_tables *tables,
			  struct wcm_library_slot *slot);

#endif
