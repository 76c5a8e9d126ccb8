/* SPDX-License-Identifier: MIT */
/* module_id.h (SAFE) - identifies the module of running code, so that another one in its place is
 * noticed.
 *
 * What is remembered of code that can be unloaded is remembered with the id of its module,
 * and used only where that id still holds.  A module is known by its place, its ELF header,
 * which tells a stripped file from a whole one, and its build-id or, where its first page has
 * none, the bytes that follow the header.  Code that runs keeps its module mapped, so that
 * they are read where they lie.  The epoch (core/modules/epoch.h) cannot answer instead,
 * since an unloading need not be told: a program may call libc's own dlclose().
 */
#ifndef WCM_MODULES_MODULE_ID_H
#define WCM_MODULES_MODULE_ID_H

#include <stdbool.h>
#include <stdint.h>

enum { WCM_MODULE_HEAD = 8 };

/* It is never freed or changed, and no module has two at one place. */
struct wcm_module_id {
	const struct wcm_module_id *next;
	uintptr_t lo, size; /* the module's place */
	uint32_t number;    /* no other module has it; 0: it cannot be unloaded */
	uint32_t count;     /* of words at AT */
	const uint64_t *at;
	uint64_t head[WCM_MODULE_HEAD]; /* its first words */
	uint64_t word[];                /* those at AT */
};

/* That of the module of ADDRESS, code that is being run.  NULL where there is no module,
 * no memory, or no quick way to tell whether a module has been unloaded. */
const struct wcm_module_id *wcm__module_id(uintptr_t address);

/* Whether ADDRESS, code that is being run, is in the module of ID. */
bool wcm__module_id_holds(const struct wcm_module_id *id, uintptr_t address);

#endif
