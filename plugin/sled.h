// SPDX-License-Identifier: GPL-3.0-or-later
// sled.h - the pass that writes the NOPs of mode=sled.
#ifndef WCM_SLED_H
#define WCM_SLED_H

void wcm_register_sled_pass(const char *name);

#endif
