/* SPDX-License-Identifier: MIT */
/* load.h - builds the function tables of the running program. */
#ifndef WCM_LOAD_LOAD_H
#define WCM_LOAD_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "core/modules/modules.h"
#include "whocallme/base.h"

/* Take in every module loaded now, and its functions.  ARGV0 serves to find the
 * executable where /proc cannot.  Answers for the executable alone. */
enum wcm_status wcm__load_all(const char *argv0);

/* Take in every module loaded now, and the functions, without PLT stubs, of the executable
 * and of each that IS_WANTED: as quickly as may be. */
enum wcm_status wcm__load_some(bool (*is_wanted)(struct wcm_known_module *module));

/* Whether the file at the path of the module that holds ADDRESS is not the one that is mapped. */
bool wcm__load_is_stale(uintptr_t address);

#endif
