/* SPDX-License-Identifier: MIT */
/* whocallme/functions.h - the functions of an object file that is not running.
 * Include <whocallme.h> instead. */
#ifndef WHOCALLME_FUNCTIONS_H
#define WHOCALLME_FUNCTIONS_H

#include <whocallme/base.h>

WCM_BEGIN_DECLS

/* The functions of one object file, sorted by address.  Opaque. */
struct wcm_functions;

/* One of them.  The name lives as long as the struct wcm_functions. */
struct wcm_function {
	uint64_t address;     /* in the file's own numbering, as nm prints it */
	uint64_t size;        /* in bytes; 0: the symbol has none */
	const char *name;     /* as in the symbol table, less symbol version */
	uint32_t flags;       /* WCM_SYMBOL_* */
	uint32_t alias;       /* not 0: a better name has the same address */
	uint64_t reserved[2]; /* zero */
};

/* Load the functions of the object file PATH: those of its .symtab, else of its
 * separate debug file, else of its .gnu_debugdata; those of its .dynsym that are not there,
 * and its PLT stubs.
 * On WCM_OK *FUNCTIONS is the caller's, to be freed with wcm_functions_free(); else
 * it is NULL.  Meanwhile stderr is a stream without a descriptor, since BFD prints what
 * it thinks of a damaged file: what other threads print passes through.
 * Thread-safe. */
WCM_API enum wcm_status wcm_functions_load(struct wcm_functions **functions,
					   const char *path);
WCM_API void wcm_functions_free(struct wcm_functions *functions);

/* How many there are, aliases included. */
WCM_API size_t wcm_functions_count(const struct wcm_functions *functions);

/* The function at INDEX, below the count, in order of address; the best name of
 * an address comes first, its aliases after it. */
WCM_API struct wcm_function
wcm_functions_get(const struct wcm_functions *functions, size_t index);

/* Find the function that holds ADDRESS.  False where none does. */
WCM_API bool wcm_functions_find(const struct wcm_functions *functions,
				uint64_t address,
				struct wcm_function *function);

/* The GNU build-id note's bytes, *SIZE of them; NULL where there is none. */
WCM_API const uint8_t *
wcm_functions_build_id(const struct wcm_functions *functions, size_t *size);

WCM_END_DECLS

#endif
