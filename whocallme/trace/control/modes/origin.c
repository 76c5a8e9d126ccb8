/* SPDX-License-Identifier: MIT */
/* origin.c - the moment that the times of a trace count from, in all its processes.
 *
 * The first process that the environment has traced looks at CLOCK_MONOTONIC and CLOCK_REALTIME
 * and adds what they say to its environment.  No other process looks at the latter: all are as
 * far from each other as the former says, whoever sets the clock meanwhile.
 */
#include "trace/control/modes/origin.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/os/clock.h"
#include "trace/control/modes/trace_environment.h"
#include "trace/probe/gate.h"

static bool is_first;

/* Of some looks at both clocks, the one that was disturbed least. */
static void look(void)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 4; i++) {
		const uint64_t before = wcm__clock_ns(), wall = wcm__clock_wall_ns();
		const uint64_t took = wcm__clock_ns() - before;

		if (took >= best)
			continue;
		best = took;
		wcm__gate.start = before + took / 2;
		wcm__gate.wall = wall;
	}
}

/* A moment that is yet to come is of before the machine was started, or of another time
 * namespace. */
void wcm__origin_begin(bool is_asked)
{
	uint64_t start, wall;

	is_first = !is_asked || !wcm__trace_start_time(&start, &wall) || start > wcm__clock_ns();
	if (is_first) {
		look();
		return;
	}
	wcm__gate.start = start;
	wcm__gate.wall = wall;
}

bool wcm__origin_is_here(void)
{
	return is_first;
}

void wcm__origin_hand_on(void)
{
	char text[48];

	if (!is_first)
		return;
	snprintf(text, sizeof(text), "%" PRIu64 ",%" PRIu64, wcm__gate.start, wcm__gate.wall);
	setenv("WHOCALLME_TRACE_START", text, 1);
}
