/* SPDX-License-Identifier: MIT */
/* values_file.h - writes of what kinds the values of a module's functions are. */
#ifndef WCM_MODES_VALUES_FILE_H
#define WCM_MODES_VALUES_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "core/modules/modules.h"

/* Whether any of MODULE's functions are known. */
bool wcm__values_file_is_needed(const struct wcm_known_module *module);

/* Write what is known of them. */
void wcm__values_file_write(FILE *file, const struct wcm_known_module *module);

#endif
