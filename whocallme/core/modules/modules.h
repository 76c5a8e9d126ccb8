/* SPDX-License-Identifier: MIT */
/* modules.h (SAFE) - loaded modules, in lists that never change.
 *
 * The ordinary world describes what is loaded and publishes the list; a reader
 * may hold a list, a module or a table for ever, since none is freed or
 * changed once published.
 */
#ifndef WCM_MODULES_MODULES_H
#define WCM_MODULES_MODULES_H

#include "core/modules/module.h"
#include "core/os/read.h"

struct wcm_function_table;
struct wcm_hold;

/* A module as the snapshot keeps it. */
struct wcm_known_module {
	struct wcm_module map;
	uint64_t fingerprint; /* of what is mapped: tells a successor apart */
	bool permanent;       /* cannot be unloaded */
	bool lists_no_sleds;  /* which has been looked for */
	uint64_t seen_at;     /* the unloadings, and one, when it was last found there */
	const uint8_t *build_id; /* copied: outlives the mapping */
	uintptr_t table_base; /* run-time address of the table's offset 0 */
	const struct wcm_function_table *table; /* NULL until published */
};

struct wcm_module_list {
	size_t count;
	struct wcm_known_module *const *module; /* ascending by lo */
	const struct wcm_module_list *previous; /* a reader may still hold it */
};

/* What is known of the module that holds an address. */
enum wcm_module_state { WCM_MODULE_UNKNOWN, WCM_MODULE_LOADED, WCM_MODULE_GONE };

/* Describe the module that holds ADDRESS, asking the dynamic linker's own
 * records.  False where there is none. */
bool wcm__module_find_live(struct wcm_module *module, uintptr_t address);

/* The same, with the path as the dynamic linker has it, which may be relative: nothing is asked
 * of the kernel for it. */
bool wcm__module_find_mapped(struct wcm_module *module, uintptr_t address);

/* The module of the published list that holds ADDRESS, and whether it is still
 * the one that is loaded there; NULL for UNKNOWN. */
struct wcm_known_module *wcm__modules_find(uintptr_t address,
					   enum wcm_module_state *state);

/* The module of the published list that holds ADDRESS and is still loaded, or
 * NULL. */
const struct wcm_known_module *wcm__modules_find_loaded(uintptr_t address);

/* Whether MODULE is loaded still. */
bool wcm__module_is_loaded(struct wcm_known_module *module);

/* The module of the published list that holds ADDRESS, if it can never be unloaded; else
 * NULL. */
const struct wcm_known_module *wcm__modules_find_permanent(uintptr_t address);

/* Whether MODULE, a permanent one or NULL, has mapped [address, address + size) as code. */
static inline bool wcm__module_has_code(const struct wcm_known_module *module, uintptr_t address,
					size_t size)
{
	return module && address >= module->map.text_lo && address < module->map.text_hi &&
	       module->map.text_hi - address >= size;
}

/* The same of any permanent module. */
bool wcm__modules_hold_code(uintptr_t address, size_t size);

/* The same for what lies around its .eh_frame_hdr. */
bool wcm__modules_hold_table(uintptr_t address, size_t size);

/* That of a module that stays, in which ADDRESS is: *SPAN is mapped for good.  False: it is in
 * none. */
bool wcm__modules_table_span(uintptr_t address, struct wcm_span *span);

/* The frame descriptions of the module that holds PC, and whether it can never
 * be unloaded.  False where no module holds PC. */
bool wcm__modules_find_unwind(struct wcm_unwind_table *table, uintptr_t pc,
			      bool *permanent);

/* The two steps of it: where the module can never be unloaded, and where it can.  The
 * table of the latter is held where HOLD is, which is NULL for nothing, and unloading
 * the module would be told. */
bool wcm__modules_find_lasting_unwind(struct wcm_unwind_table *table, uintptr_t pc);
bool wcm__modules_find_unloadable_unwind(struct wcm_unwind_table *table, uintptr_t pc,
					 const struct wcm_hold *hold);

/* The published list; never NULL. */
const struct wcm_module_list *wcm__modules_get(void);

/* Pass every module that is loaded now to VISIT, which ends the visits by returning
 * false: those of the published list, ascending, then those loaded since.  False
 * where it did. */
typedef bool wcm_module_visitor(const struct wcm_module *module, void *data);
bool wcm__modules_visit(wcm_module_visitor *visit, void *data);

/* Publish LIST and MODULE's TABLE.  Nothing published is freed. */
void wcm__modules_publish(const struct wcm_module_list *list);
void wcm__module_publish_table(struct wcm_known_module *module,
			       const struct wcm_function_table *table);

static inline const struct wcm_function_table *
wcm__module_table(const struct wcm_known_module *module)
{
	return __atomic_load_n(&module->table, __ATOMIC_ACQUIRE);
}

#endif
