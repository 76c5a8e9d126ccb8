/* SPDX-License-Identifier: MIT */
/* debug_frames.h - has .debug_frame describe the frames that .eh_frame does not. */
#ifndef WCM_LOAD_DEBUG_FRAMES_H
#define WCM_LOAD_DEBUG_FRAMES_H

#include "core/modules/module.h"
#include "load/objects/debug_file.h"

/* Publish the section of MODULE, which is loaded: that of FILE, or of its debug file, or of one
 * that is searched for where functions lack frame descriptions. */
void wcm__load_debug_frames(struct wcm_file_symbols *file, const struct wcm_module *module);

#endif
