/* SPDX-License-Identifier: MIT */
/* library_module.h (SAFE) - the calls that a module makes into others. */
#ifndef WCM_GOT_LIBRARY_MODULE_H
#define WCM_GOT_LIBRARY_MODULE_H

#include "core/symbols/slot_names.h"
#include "core/unwind/stub_code.h"
#include "trace/library/library_slots.h"
#include "trace/sleds/sled_module.h"

/* A word of the module, by which it calls a library function, in our hands. */
struct wcm_library_call {
	struct wcm_library_slot slot;
	uintptr_t stub;    /* what the word has while the call is traced */
	uintptr_t binding; /* what the stub jumps to until the function is bound; 0: it is */
	uintptr_t before;  /* what the word had while it was not bound */
	uintptr_t *target; /* what the stub jumps to */
};

struct wcm_library_module {
	struct wcm_library_module *next;
	/* A sled for each call: that of its stub. */
	struct wcm_sled_module sleds;
	struct wcm_library_tables tables;
	struct wcm_slot_names names;
	struct wcm_stub_code stubs;
	struct wcm_library_call *call;
	size_t count;
	bool is_on;
};

/* Make the stubs of MODULE's calls, and the sleds and names of them.  0, or a negated errno:
 * there are none. */
long wcm__library_stubs_make(struct wcm_library_module *module);

#endif
