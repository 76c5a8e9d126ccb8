/* SPDX-License-Identifier: MIT */
/* static_module.h (SAFE) - the static probes of a module. */
#ifndef WCM_STATIC_STATIC_MODULE_H
#define WCM_STATIC_STATIC_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/modules/module.h"
#include "core/symbols/slot_names.h"
#include "core/symbols/symtab_file.h"

struct wcm_static_probe {
	uintptr_t at;        /* its NOP */
	uintptr_t semaphore; /* 0: none */
	uint32_t name;       /* of the module's names, which those of several probes may share */
	bool is_lit;
	const char *values;  /* see probe_note.h */
};

struct wcm_static_module {
	struct wcm_static_module *next;
	struct wcm_module map;
	uint64_t identity; /* wcm__sleds_identify() */
	bool is_loaded;
	struct wcm_static_probe *probe;
	size_t count;
	/* Numbers of probes, and one, by their addresses: open addressing, half full at most. */
	uint32_t *by_place;
	size_t places; /* less one */
	struct wcm_slot_names names; /* "provider:name" */
	struct wcm_module place;     /* which the names are in */
	uint8_t trap, nop;
};

/* Find the probes of MODULE, whose MAP is set, in its file, and name them.  0, or a negated errno:
 * -ENOENT where there are none.  Signal-safe. */
long wcm__static_find(struct wcm_static_module *module);

/* Whether ONE and OTHER are the same text.  Signal-safe. */
bool wcm__static_same(const char *one, const char *other);

/* The number of MODULE's probe at AT, and one; 0: there is none.  Signal-safe. */
size_t wcm__static_at(const struct wcm_static_module *module, uintptr_t at);

/* static_symbols.c: the values of static probes that are in variables. */

/* A variable that has been looked for; what NAME points to stays. */
struct wcm_static_variable {
	const char *name; /* NULL: none */
	size_t length;
	uintptr_t address; /* 0: it is not known */
};

enum { WCM_STATIC_VARIABLES = 32 };

/* Where the texts of one module are made. */
struct wcm_static_texts {
	const struct wcm_module *map;
	struct wcm_symtab_search *search; /* NULL: nothing has been looked for yet */
	uint64_t symbols;                 /* looked at */
	char *room;
	size_t left;
	struct wcm_static_variable met[WCM_STATIC_VARIABLES]; /* by hash, the latest ones */
};

/* VALUES, those of a probe of the module, with addresses in the place of its variables.  What is
 * not known stays as it is.  The text stays where it is.  Signal-safe. */
const char *wcm__static_resolve(struct wcm_static_texts *texts, const char *values);

/* No more is made. */
void wcm__static_texts_end(struct wcm_static_texts *texts);

#endif
