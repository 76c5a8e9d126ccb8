/* SPDX-License-Identifier: MIT */
/* loaded.h - lists the loaded modules, as the dynamic linker reports them. */
#ifndef WCM_LOAD_LOADED_H
#define WCM_LOAD_LOADED_H

#include <stddef.h>

#include "core/modules/modules.h"
#include "whocallme/base.h"

enum wcm_module_kind { WCM_EXECUTABLE, WCM_LIBRARY, WCM_VDSO };

/* No load has been tried: no status of its own. */
#define WCM_UNTRIED ((enum wcm_status)1)

/* A module and what became of loading its functions. */
struct wcm_loaded_module {
	struct wcm_known_module known;
	enum wcm_module_kind kind;
	enum wcm_status status;       /* or WCM_UNTRIED */
	enum wcm_status debug_status; /* why a debug file was not used */
	char *source;                 /* the file that the table came from */
};

static inline struct wcm_loaded_module *
wcm__loaded_module(struct wcm_known_module *known)
{
	return (struct wcm_loaded_module *)((char *)known -
					    offsetof(struct wcm_loaded_module,
						     known));
}

/* What became of loading MODULE, without the lock. */
static inline enum wcm_status
wcm__loaded_status(const struct wcm_loaded_module *module)
{
	return __atomic_load_n(&module->status, __ATOMIC_ACQUIRE);
}

/* Publish what is loaded now; modules that are gone stay known.  Called under
 * wcm__lock().  Returns WCM_OK or WCM_ENOMEM. */
enum wcm_status wcm__loaded_refresh(void);

/* The module at INDEX in order of address, or NULL past the last. */
struct wcm_loaded_module *wcm__loaded_get(size_t index);

#endif
