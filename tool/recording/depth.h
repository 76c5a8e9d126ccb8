/* SPDX-License-Identifier: MIT */
/* depth.h - works out the depth of a call, of which 10 bits are recorded. */
#ifndef WCM_TOOL_DEPTH_H
#define WCM_TOOL_DEPTH_H

#include <stdint.h>

struct depth {
	uint32_t open;  /* calls, after the last record */
	uint64_t slack; /* OPEN may be wrong by as many, either way */
};

/* A program begins.  OPEN is a guess of how many calls deep it is. */
void depth_begin(struct depth *depth, uint32_t open);

/* LOST records are missing here; 0: a program ended, and another begins. */
void depth_lose(struct depth *depth, uint64_t lost);

/* The depth of the call that is entered, or left, 0 being the outermost; the record
 * says that it is BITS, below WCM_RECORD_DEPTHS, of which it is that modulo.  Each record is told
 * once, in order.  Calls may end without a record, but begin with one. */
uint32_t depth_enter(struct depth *depth, uint32_t bits);
uint32_t depth_leave(struct depth *depth, uint32_t bits);

#endif
