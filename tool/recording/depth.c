/* SPDX-License-Identifier: MIT */
/* depth.c - works out the depth of a call, of which 10 bits are recorded.
 *
 * A call is entered in the innermost of those that are open, and the innermost is
 * left, unless some ended without a word: then the depth is the next lower one that
 * has these bits.  Only where records are missing can it be a higher one.
 */
#include "recording/dat_file.h"

#include "format/uftrace.h"

void depth_begin(struct depth *depth, uint32_t open)
{
	*depth = (struct depth){ open, UINT64_MAX };
}

void depth_lose(struct depth *depth, uint64_t lost)
{
	if (lost == 0)
		depth_begin(depth, 0);
	else if (depth->slack > UINT64_MAX - lost)
		depth->slack = UINT64_MAX;
	else
		depth->slack += lost;
}

/* The depth with these BITS for a call expected at EXPECTED, which may be off by
 * SLACK.  Where that allows a lower and a higher depth, it is the nearer one; where fewer than
 * WCM_RECORD_DEPTHS calls are expected, it is BITS: most programs are never deeper. */
static uint32_t find(uint32_t expected, uint64_t slack, uint32_t bits)
{
	uint32_t fewer = (expected - bits) % WCM_RECORD_DEPTHS;
	uint32_t more = WCM_RECORD_DEPTHS - fewer;

	if (expected < bits)
		return bits;
	if (fewer == 0 || more > slack || expected > UINT32_MAX - WCM_RECORD_DEPTHS)
		return expected - fewer;
	if (fewer > slack || (expected >= WCM_RECORD_DEPTHS && more < fewer))
		return expected + more;
	return expected - fewer;
}

uint32_t depth_enter(struct depth *depth, uint32_t bits)
{
	uint32_t found = find(depth->open, depth->slack, bits);

	*depth = (struct depth){ found + 1, 0 };
	return found;
}

uint32_t depth_leave(struct depth *depth, uint32_t bits)
{
	uint32_t innermost = depth->open ? depth->open - 1 : 0;
	uint32_t found = find(innermost, depth->slack, bits);

	*depth = (struct depth){ found, 0 };
	return found;
}
