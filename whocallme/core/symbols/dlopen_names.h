/* SPDX-License-Identifier: MIT */
/* dlopen_names.h (SAFE) - names functions in libraries that dlopen() loaded after the tables
 * were built.
 */
#ifndef WCM_SYMBOLS_DLOPEN_NAMES_H
#define WCM_SYMBOLS_DLOPEN_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/modules/modules.h"
#include "whocallme/symbol.h"

/* wcm_symbol_peek(), and where that knows no function of a module without a table, what
 * the module's file knows.  Such a name stays for ever.  Needs little stack. */
enum wcm_status wcm__dlopen_names_peek(uintptr_t address,
				       struct wcm_symbol *symbol);

/* From now UNTIL (of wcm__clock_ns()) a crash is reported; 0: no more. */
void wcm__dlopen_names_for_report(uint64_t until);

/* Whether a crash is reported now: the executable's file may be opened for it. */
bool wcm__dlopen_names_are_for_report(void);

/* wcm_symbol_peek(), and while a crash is reported what the executable's file knows of an
 * executable without a table.  No other file is opened.  KNOWN is as in
 * wcm__symbol_peek_in(). */
enum wcm_status wcm__dlopen_names_peek_for_report(const struct wcm_known_module *known,
						  uintptr_t address,
						  struct wcm_symbol *symbol);

/* Where the file of MODULE, if that is the executable, has the function or variable
 * NAME. */
bool wcm__dlopen_names_value(const struct wcm_module *module, const char *name,
			     uintptr_t *value);

/* jit_names.c: names code that a run-time has made, by the files that it writes for perf(1). */

/* Find the function at ADDRESS, which is in no module.  SYMBOL's name lives until 64 more have
 * been found. */
bool wcm__jit_name(uintptr_t address, struct wcm_symbol *symbol);

#endif
