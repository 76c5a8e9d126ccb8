// SPDX-License-Identifier: GPL-3.0-or-later
// ends.h - where the current function ends.
#ifndef WCM_ENDS_H
#define WCM_ENDS_H

// Before a statement, or on an edge, on which nothing of the function follows.
struct wcm_end {
	gimple *before;
	edge on;
};

// Appends to ENDS where the function returns, jumps into another one for good, or calls one
// that does not return.
void wcm_find_ends(auto_vec<wcm_end> *ends);

// Whether STMT is a call that takes the place of the function in its caller.
bool wcm_is_sibling_call(const gimple *stmt);

// Whether the current function has calls that are marked to become jumps, where they can.
bool wcm_has_marked_calls();

#endif
