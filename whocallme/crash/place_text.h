/* SPDX-License-Identifier: MIT */
/* place_text.h - what an address lies in, for people. */
#ifndef WCM_CRASH_PLACE_TEXT_H
#define WCM_CRASH_PLACE_TEXT_H

#include "crash/facts.h"
#include "report/line.h"

/* Add ADDRESS to LINE, or the addresses from LO up to HI. */
void wcm__place_text_add_address(struct wcm_line *line, uintptr_t address);
void wcm__place_text_add_range(struct wcm_line *line, uintptr_t lo, uintptr_t hi);

/* Add how far ADDRESS, which is near, is from NULL. */
void wcm__place_text_add_from_null(struct wcm_line *line, uintptr_t address);

/* Add which access failed, and what there is where it went. */
void wcm__place_text_add_access(struct wcm_line *line, const struct wcm_facts *facts);

#endif
