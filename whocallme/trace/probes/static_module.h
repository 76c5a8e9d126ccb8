/* SPDX-License-Identifier: MIT */
/* static_module.h (SAFE) - the static probes of a module. */
#ifndef WCM_STATIC_STATIC_MODULE_H
#define WCM_STATIC_STATIC_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/modules/module.h"
#include "core/symbols/slot_names.h"

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

#endif
