/* SPDX-License-Identifier: MIT */
/* sled_text.h - what `whocallme functions --sleds` says of a function's sled. */
#ifndef WCM_TOOL_SLED_TEXT_H
#define WCM_TOOL_SLED_TEXT_H

#include "modules/file_sleds.h"

/* Behind the function's name: where it is and its NOPs, or why there is none. */
void sled_print(const struct function_sled *sled);

/* The same as a member of the function's object. */
void sled_json(const struct function_sled *sled);

#endif
