// SPDX-License-Identifier: GPL-3.0-or-later
// chosen.h - which functions are traced.
#ifndef WCM_CHOSEN_H
#define WCM_CHOSEN_H

struct wcm_mode;
struct wcm_rules;

// Chooses by RULES, which stay, what MODE can be done to.
void wcm_choose_by(const wcm_mode *mode, wcm_rules *rules);

// Whether the current function is chosen.
bool wcm_is_chosen();

// Whether FUNCTION is named as those are that the mode calls.
bool wcm_is_reserved(tree function);

// Notes which rules the functions of this compilation match, inlined later or not.
void wcm_match_all();

#endif
