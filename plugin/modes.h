// SPDX-License-Identifier: GPL-3.0-or-later
// modes.h - what is put into chosen functions: each mode is one of these.
#ifndef WCM_MODES_H
#define WCM_MODES_H

enum wcm_point {
	WCM_ENTRY,
	WCM_EXIT,
	WCM_UNWIND, // left by an exception
};

struct wcm_mode {
	const char *name;
	// Makes the statements that tell of POINT of the current function, which gives back
	// RESULT, unless that is NULL_TREE, for LOCATION; NULL in a mode that has none.
	gimple_seq (*tell)(wcm_point point, location_t location, tree result);
	// Changes the current function as a whole; or NULL.
	void (*mark)();
	// Functions whose names begin so are what the mode calls: they are never chosen.
	const char *reserved;
};

extern const wcm_mode wcm_serial, wcm_hooks, wcm_sled, wcm_probes;

// All of them, up to a NULL.
extern const wcm_mode *const wcm_modes[];

#endif
