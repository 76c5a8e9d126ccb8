/* SPDX-License-Identifier: MIT */
/* sled_profilers.h (SAFE) - finds what calls of the profiler lead to in a module. */
#ifndef WCM_SLED_SLED_PROFILERS_H
#define WCM_SLED_SLED_PROFILERS_H

#include "core/symbols/symtab.h"
#include "format/sled_code.h"

/* How many bytes MODULE has mapped, *AT, of its section NAME of TYPE; 0: it has none.  What SEARCH
 * held before is lost. */
size_t wcm__sled_section(struct wcm_symtab_search *search, const struct wcm_module *module,
			 uint32_t type, const char *name, uintptr_t *at);

/* Find those of MODULE, which may not be relocated yet; in this process's numbering. */
void wcm__sled_profilers(struct wcm_sled_profilers *profilers,
			 struct wcm_symtab_search *search, const struct wcm_module *module);

#endif
