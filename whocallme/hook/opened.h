/* SPDX-License-Identifier: MIT */
/* opened.h - how are the functions of a library called that was opened since the tables
 * were loaded? */
#ifndef WCM_HOOK_OPENED_H
#define WCM_HOOK_OPENED_H

#include "whocallme/symbol.h"

/* wcm_symbol_peek(), and where that knows no function of a module without a table, what
 * the module's file knows.  Such a name stays for ever.  Needs little stack. */
enum wcm_status wcm__opened_peek(uintptr_t address, struct wcm_symbol *symbol);

#endif
