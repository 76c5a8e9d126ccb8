/* SPDX-License-Identifier: MIT */
/* linked.h (SAFE) - lists the modules of the dynamic linker, without its lock.
 *
 * The lookups have a file per system: linked_index.c where libc has an index of its
 * modules, linked_list.c where it has the list alone.
 */
#ifndef WCM_MODULES_LINKED_H
#define WCM_MODULES_LINKED_H

#include <dlfcn.h>

#include "core/modules/module.h"

struct wcm_hold;

/* Before any hook asks: find what a program may have put a function of its own in place of. */
void wcm__linked_prepare(void);

/* The module that holds ADDRESS, the executable left out.  False where none does. */
bool wcm__linked_find(struct wcm_module *module, uintptr_t address);

/* Where the module that holds ADDRESS is at this moment, by the dynamic linker's index
 * alone; its first page is mapped.  False where libc has no index. */
bool wcm__linked_find_bounds(uintptr_t address, uintptr_t *lo, uintptr_t *hi);

/* Its frame descriptions, held where HOLD is and unloading the module is told. */
bool wcm__linked_find_unwind(struct wcm_unwind_table *table, uintptr_t pc,
			     const struct wcm_hold *hold);

/* Whether the dynamic linker has more than one list: each has its own libc, and its
 * dlclose(3) is none that the others see. */
bool wcm__linked_has_namespaces(void);

/* Whether unloading the module of PATH is told, where unloading is. */
bool wcm__linked_is_told(const char *path);

/* Where the dynamic linker's list begins; 0 where the executable has none. */
uintptr_t wcm__linked_first(void);

/* What the dynamic linker calls, for debuggers, before and after its list changes, and what it
 * is about then.  0 and UNKNOWN where the executable has no list. */
enum wcm_linked_state { WCM_LINKED_UNKNOWN, WCM_LINKED_WHOLE, WCM_LINKED_ADDS,
			WCM_LINKED_DELETES };
uintptr_t wcm__linked_notifier(void);
enum wcm_linked_state wcm__linked_state(void);

/* Where the dynamic linker itself is, also where it was told to run the program. */
uintptr_t wcm__linked_base(void);

/* Copy the entry at *AT, and move *AT on, behind the last of a namespace to the first of the next.
 * False at the end, or where there is no entry to be read. */
bool wcm__linked_next(uintptr_t *at, struct link_map *map);

/* What the dynamic linker calls NAME; it has no name for the executable. */
const char *wcm__module_path(const char *name);

/* From now on the executable, as the dynamic linker's records have it, is called PATH,
 * which stays; before that as it was started. */
void wcm__modules_name_executable(const char *path);

/* linked_index.c: leads to libc's own index of modules, where libc has one (glibc 2.35). */

struct dl_find_object; /* other libcs lack it */

/* _dl_find_object() of the dynamic linker, whatever the program has of that name.  Never NULL. */
extern int (*wcm__linked_find_object)(void *address, struct dl_find_object *found);

#endif
