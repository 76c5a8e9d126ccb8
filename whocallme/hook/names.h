/* SPDX-License-Identifier: MIT */
/* names.h - how is this function called, asked over and over? */
#ifndef WCM_HOOK_NAMES_H
#define WCM_HOOK_NAMES_H

#include "report/line.h"

/* Add the function that begins at FUNC to LINE, as wcm__text_function() does. */
void wcm__names_add(struct wcm_line *line, uintptr_t func);

#endif
