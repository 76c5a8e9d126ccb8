// SPDX-License-Identifier: GPL-3.0-or-later
// unwind.h - exceptions that leave the current function.
#ifndef WCM_UNWIND_H
#define WCM_UNWIND_H

// The statements that may throw out of the function, but for calls that it jumps to.
void wcm_find_throws(auto_vec<gimple *> *throws);

// Has every exception that leaves the function, by one of THROWS or past its handlers, run a
// new block on its way.  Returns that block, in which the exception goes on at the end; NULL
// where none of THROWS needs one.
basic_block wcm_catch_throws(const auto_vec<gimple *> &throws);

#endif
