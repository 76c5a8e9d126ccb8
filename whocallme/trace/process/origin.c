/* SPDX-License-Identifier: MIT */
/* origin.c - looks at the clocks when a trace begins, from which all its processes count.
 *
 * The first process that the environment has traced looks at CLOCK_MONOTONIC and CLOCK_REALTIME
 * and adds what they say to its environment.  No other process believes the latter, but in another
 * time namespace: all are as far from each other as the former says, whoever sets the clock
 * meanwhile.
 */
#include "trace/process/origin.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/os/clock.h"
#include "format/settings.h"
#include "trace/process/trace_environment.h"
#include "trace/engine/gate.h"

static bool is_first;
static uint64_t has_head; /* as wcm__origin_headed() has it */

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

/* The time namespace, whose CLOCK_MONOTONIC is another one; 0: it is not known. */
static uint64_t namespace_here(void)
{
	struct stat found;

	return stat("/proc/self/ns/time", &found) == 0 ? (uint64_t)found.st_ino : 0;
}

/* START by the clock of this process, which by the clocks that were looked at is NOW and WALL.  A
 * moment that is yet to come is of before the machine was started. */
static bool is_believed(struct wcm_trace_start *start, uint64_t now, uint64_t wall)
{
	const uint64_t here = namespace_here();

	if (here && start->namespace && here != start->namespace)
		start->ns = now - (wall - start->wall);
	return start->ns <= now;
}

void wcm__origin_begin(bool is_asked)
{
	struct wcm_trace_start start = { 0 };

	look();
	is_first = !is_asked || !wcm__trace_start_time(&start) ||
		   !is_believed(&start, wcm__gate.start, wcm__gate.wall);
	has_head = is_first ? 0 : start.headed;
	if (is_first)
		return;
	wcm__gate.start = start.ns;
	wcm__gate.wall = start.wall;
}

bool wcm__origin_is_here(void)
{
	return is_first;
}

uint64_t wcm__origin_headed(void)
{
	return has_head;
}

void wcm__origin_hand_on(uint64_t headed)
{
	char text[96];

	if (!is_first && headed == has_head)
		return;
	snprintf(text, sizeof(text), "%" PRIu64 ",%" PRIu64 ",%" PRIu64, wcm__gate.start,
		 wcm__gate.wall, namespace_here());
	if (headed)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), ",%" PRIu64, headed);
	setenv(wcm__settings[WCM_SET_TRACE_START].variable, text, 1);
}
