/* SPDX-License-Identifier: MIT */
/* module_read.h (SAFE) - reading what modules have mapped, and any other memory. */
#ifndef WCM_MODULES_MODULE_READ_H
#define WCM_MODULES_MODULE_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* wcm__read_memory() of code: where a module that stays has mapped all of it, it is copied
 * from there. */
bool wcm__read_code(uintptr_t addr, void *buf, size_t size);

/* The same of what lies around a module's .eh_frame_hdr. */
bool wcm__read_table(uintptr_t addr, void *buf, size_t size);

/* The same of what is mostly a constant: linkers put these beside .eh_frame_hdr. */
bool wcm__read_constant(uintptr_t addr, void *buf, size_t size);

#endif
