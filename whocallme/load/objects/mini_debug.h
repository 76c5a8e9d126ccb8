/* SPDX-License-Identifier: MIT */
/* mini_debug.h - unpacks the symbols that a stripped file carries compressed
 * (.gnu_debugdata).
 */
#ifndef WCM_OBJECTS_MINI_DEBUG_H
#define WCM_OBJECTS_MINI_DEBUG_H

#include "load/objects/objfile.h"

/* Open the object file in the section .gnu_debugdata of OBJFILE.  Returns WCM_OK,
 * WCM_ENOSYMS where there is no such section, WCM_EFORMAT, WCM_ENOMEM. */
enum wcm_status wcm__mini_debug_open(struct wcm_objfile **mini,
				     struct wcm_objfile *objfile);

#endif
