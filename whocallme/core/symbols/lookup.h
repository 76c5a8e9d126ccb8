/* SPDX-License-Identifier: MIT */
/* lookup.h (SAFE) - finds what is at an address: module, then table, then .dynsym. */
#ifndef WCM_SYMBOLS_LOOKUP_H
#define WCM_SYMBOLS_LOOKUP_H

#include "core/modules/modules.h"
#include "whocallme/symbol.h"

/* wcm_symbol_peek() at an address in KNOWN, a module that stays; NULL: the module is looked
 * for. */
enum wcm_status wcm__symbol_peek_in(const struct wcm_known_module *known, uintptr_t address,
				    struct wcm_symbol *symbol);

#endif
