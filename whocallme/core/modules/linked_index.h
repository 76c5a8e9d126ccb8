/* SPDX-License-Identifier: MIT */
/* linked_index.h (SAFE) - leads to libc's own index of modules, where libc has one (glibc 2.35). */
#ifndef WCM_MODULES_LINKED_INDEX_H
#define WCM_MODULES_LINKED_INDEX_H

#include <dlfcn.h>

/* _dl_find_object() of the dynamic linker, whatever the program has of that name.  Never NULL. */
extern int (*wcm__linked_find_object)(void *address, struct dl_find_object *found);

#endif
