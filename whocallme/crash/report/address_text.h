/* SPDX-License-Identifier: MIT */
/* address_text.h (SAFE) - writes for people what an address lies in. */
#ifndef WCM_REPORT_ADDRESS_TEXT_H
#define WCM_REPORT_ADDRESS_TEXT_H

#include "core/report/line.h"
#include "crash/report/crash_info.h"

/* Add ADDRESS to LINE, or the addresses from LO up to HI. */
void wcm__address_text_add_address(struct wcm_line *line, uintptr_t address);
void wcm__address_text_add_range(struct wcm_line *line, uintptr_t lo, uintptr_t hi);

/* Add how far ADDRESS, which is near, is from NULL. */
void wcm__address_text_add_from_null(struct wcm_line *line, uintptr_t address);

/* Add which access failed, and what there is where it went. */
void wcm__address_text_add_access(struct wcm_line *line, const struct wcm_crash_info *crash);

#endif
