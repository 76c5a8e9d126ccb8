/* SPDX-License-Identifier: MIT */
/* settings.h - reads what the environment asks of the preloaded crash report. */
#ifndef WCM_PRELOAD_SETTINGS_H
#define WCM_PRELOAD_SETTINGS_H

#include <stdbool.h>

#include "whocallme/crash.h"

/* Fill OPTIONS from the WHOCALLME_ variables of README.md.  A value that makes no
 * sense gets a line on stderr and is as if it were not there. */
void wcm__settings_read(struct wcm_crash_options *options);

/* Whether WHOCALLME_CHILDREN says so; take those variables, and LIBRARY out of
 * LD_PRELOAD, from what children of this process inherit. */
bool wcm__settings_are_kept_from_children(void);
void wcm__settings_keep_from_children(const char *library);

#endif
