/* SPDX-License-Identifier: MIT */
/* symtab.h (SAFE) - finds a function in the .symtab of a module's file. */
#ifndef WCM_SYMBOLS_SYMTAB_H
#define WCM_SYMBOLS_SYMTAB_H

#include "core/symbols/symtab_file.h"

/* Find the function of MODULE, which is loaded, that holds OFFSET, an address in its own
 * numbering.  A damaged file has no such function.  What SEARCH held before is lost. */
bool wcm__symtab_find(struct wcm_symtab_search *search,
		      const struct wcm_module *module, uint64_t offset);

/* The same of the variable that holds OFFSET: SEARCH has its name, value and size. */
bool wcm__symtab_find_data(struct wcm_symtab_search *search,
			   const struct wcm_module *module, uint64_t offset);

/* The same in FD, which is known to be MODULE's debug file. */
bool wcm__symtab_find_data_in(struct wcm_symtab_search *search, const struct wcm_module *module,
			      uint64_t offset, int fd);

/* The same of the function or variable NAME. */
bool wcm__symtab_find_name(struct wcm_symtab_search *search,
			   const struct wcm_module *module, const char *name);

/* The same of a variable that alone has the name NAME: SEARCH has its value and size. */
bool wcm__symtab_find_variable(struct wcm_symtab_search *search,
			       const struct wcm_module *module, const char *name);

/* Pass every symbol of MODULE's .symtab to VISIT.  False: it is not to be had, or not all. */
typedef void wcm_symtab_visitor(struct wcm_symtab_search *search, const ElfW(Sym) *symbol);
bool wcm__symtab_visit(struct wcm_symtab_search *search, const struct wcm_module *module,
		       wcm_symtab_visitor *visit);

#endif
