/* SPDX-License-Identifier: MIT */
/* linked_index.h (SAFE) - asks libc's own index of modules. */
#ifndef WCM_MODULES_LINKED_INDEX_H
#define WCM_MODULES_LINKED_INDEX_H

#include <dlfcn.h>

/* _dl_find_object(3), the dynamic linker's. */
extern int (*wcm__linked_find_object)(void *address, struct dl_find_object *found);

#endif
