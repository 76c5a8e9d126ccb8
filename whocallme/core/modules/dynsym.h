/* SPDX-License-Identifier: MIT */
/* dynsym.h (SAFE) - finds a function in the mapped .dynsym of a module without a table. */
#ifndef WCM_MODULES_DYNSYM_H
#define WCM_MODULES_DYNSYM_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The dynamic symbols of an object, where they are mapped.  All of it has been
 * checked to lie inside the object's readable segments. */
struct wcm_dynsym {
	const ElfW(Sym) *symbols;
	const char *strings;
	size_t count, strings_size;
};

/* A function of DYNSYM. */
struct wcm_dynsym_function {
	const char *name;
	uint64_t value, size; /* st_value, st_size */
	bool ifunc, untyped;
};

/* The function that holds OFFSET, an address in the object's own numbering. */
bool wcm__dynsym_find(const struct wcm_dynsym *dynsym, uint64_t offset,
		      struct wcm_dynsym_function *function);

/* The same of a variable. */
bool wcm__dynsym_find_data(const struct wcm_dynsym *dynsym, uint64_t offset,
			   struct wcm_dynsym_function *data);

/* The st_value of what is defined under NAME. */
bool wcm__dynsym_value(const struct wcm_dynsym *dynsym, const char *name,
		       uint64_t *value);

/* Whether an object that stays mapped meanwhile has another one define NAME. */
bool wcm__dynsym_wants(const struct wcm_dynsym *dynsym, const char *name);

#endif
