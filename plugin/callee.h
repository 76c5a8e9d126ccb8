// SPDX-License-Identifier: GPL-3.0-or-later
// callee.h - the functions that are called by what is inserted.
#ifndef WCM_CALLEE_H
#define WCM_CALLEE_H

// The function NAME, which neither throws nor jumps into the function that calls it; declared
// once, with MAKE_TYPE's type.
tree wcm_callee(const char *name, tree (*make_type)());

// Has gcc's garbage collector keep them.
void wcm_keep_callees(const char *plugin);

#endif
