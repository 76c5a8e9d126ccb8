/* SPDX-License-Identifier: MIT */
/* slot_names.h (SAFE) - names the library functions that words of a module lead to. */
#ifndef WCM_SYMBOLS_SLOT_NAMES_H
#define WCM_SYMBOLS_SLOT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A word that the dynamic linker has put a function's address into, and what that is called. */
struct wcm_slot_name {
	uintptr_t at;
	const char *name;
	const char *prototype; /* of the function, while what it is given is asked for; or NULL */
	bool is_probe; /* no function, but a static probe */
};

struct wcm_module;

/* Those of one module, COUNT of them, ascending. */
struct wcm_slot_names {
	const struct wcm_module *place; /* made up, where none that is loaded has them; or NULL */
	const char *module;             /* the path of the one whose they are then */
	const struct wcm_slot_names *next;
	size_t count;
	struct wcm_slot_name *slot;
};

/* From now on NAMES count, before those of a module that was there earlier.  They stay, and
 * what they refer to.  One thread at a time; signal-safe. */
void wcm__slot_names_add(struct wcm_slot_names *names);

/* The names of all modules, or NULL: follow next.  Signal-safe. */
const struct wcm_slot_names *wcm__slot_names_first(void);

/* What is known of the word at ADDRESS; NULL where there is none.  Signal-safe. */
const struct wcm_slot_name *wcm__slot_find(uintptr_t address);

/* Its name.  Signal-safe. */
const char *wcm__slot_name(uintptr_t address);

/* Those which have the word at ADDRESS in a place that is made up, or NULL.  Signal-safe. */
const struct wcm_slot_names *wcm__slot_names_made_up(uintptr_t address);

#endif
