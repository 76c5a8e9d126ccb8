// SPDX-License-Identifier: GPL-3.0-or-later
// pass.h - puts what a mode tells into the chosen functions.
#ifndef WCM_PASS_H
#define WCM_PASS_H

struct wcm_arguments;

// Registers the passes under the plugin's NAME; ARGUMENTS stay.
void wcm_register_passes(const char *name, const wcm_arguments *arguments);

#endif
