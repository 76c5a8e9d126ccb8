// SPDX-License-Identifier: GPL-3.0-or-later
// unwind.h - exceptions that leave the current function.
#ifndef WCM_UNWIND_H
#define WCM_UNWIND_H

// The statements by which an exception may leave the function, but for calls that it jumps to.
void wcm_find_throws(auto_vec<gimple *> *throws);

// Has every exception that leaves the function, which is by one of THROWS, run a new block on
// its way.  Returns that block, in which the exception goes on at the end.
basic_block wcm_catch_throws(const auto_vec<gimple *> &throws);

#endif
