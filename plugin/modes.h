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

// unwind.cc: exceptions that leave the current function.

// The statements by which an exception may leave the function, but for calls that it jumps to.
void wcm_find_throws(auto_vec<gimple *> *throws);

// Has every exception that leaves the function, which is by one of THROWS, run a new block on
// its way.  Returns that block, in which the exception goes on at the end.
basic_block wcm_catch_throws(const auto_vec<gimple *> &throws);

// pass.cc: puts what a mode tells into the chosen functions.

struct wcm_arguments;

// Registers the passes under the plugin's NAME; ARGUMENTS stay.
void wcm_register_passes(const char *name, const wcm_arguments *arguments);

// probes.cc: mode=probes: static probes.

// Probes are of the provider NAME, which stays.
void wcm_probes_by(const char *name);

// sled.cc: the pass that writes the NOPs of mode=sled.

void wcm_register_sled_pass(const char *name);

#endif
