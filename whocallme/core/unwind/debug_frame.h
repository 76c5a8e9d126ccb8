/* SPDX-License-Identifier: MIT */
/* debug_frame.h (SAFE) - the frame descriptions of .debug_frame, which no module has mapped. */
#ifndef WCM_UNWIND_DEBUG_FRAME_H
#define WCM_UNWIND_DEBUG_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/modules/module.h"

/* A copy of a section, with an index. */
struct wcm_debug_frame;

/* Memory for a section of SIZE bytes, which the caller fills in at *BYTES and publishes or drops.
 * NULL: there is no memory for as many. */
struct wcm_debug_frame *wcm__debug_frame_new(uint64_t size, uint8_t **bytes);

/* Sort the descriptions of FRAME and publish them as those of MODULE, which is loaded.  One that
 * describes nothing is dropped. */
void wcm__debug_frame_publish(struct wcm_debug_frame *frame, const struct wcm_module *module);

/* Whether MODULE's are published. */
bool wcm__debug_frame_is_known(const struct wcm_module *module);

/* Publish what the file of MODULE, which is loaded, has; for a report the executable's file alone
 * is opened.  PACKED: it is compressed, which has to be undone elsewhere.  For a report, LARGE: it
 * is larger than there is time for; LINKED: it may be in a debug file, which the file names. */
enum wcm_debug_frame_read {
	WCM_DEBUG_FRAME_NONE,
	WCM_DEBUG_FRAME_PACKED,
	WCM_DEBUG_FRAME_LARGE,
	WCM_DEBUG_FRAME_LINKED,
	WCM_DEBUG_FRAME_READ,
};
enum wcm_debug_frame_read wcm__debug_frame_read(const struct wcm_module *module, bool for_report);

/* The same, once a module, of that of PC, if no function table of it has been loaded: a walk has
 * met nothing that describes PC, for which files may be opened; for a report only while there is
 * time.  False where nothing was read. */
bool wcm__debug_frame_read_at(uintptr_t pc, bool for_report);

/* Why a report has not read what may describe PC, and what would; or NULL. */
const char *wcm__debug_frame_unread(uintptr_t pc);

/* The table of the module that holds PC, and whether it can never be unloaded.  False where none
 * is published. */
bool wcm__debug_frame_find(struct wcm_unwind_table *table, uintptr_t pc, bool *permanent);

#endif
