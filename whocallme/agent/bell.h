/* SPDX-License-Identifier: MIT */
/* bell.h - the pipe by which clients call the agent, and the thread that waits at it. */
#ifndef WCM_AGENT_BELL_H
#define WCM_AGENT_BELL_H

#include <stdbool.h>
#include <stdint.h>

#include "format/agent_protocol.h"

/* Start the thread.  False, with errno. */
bool wcm__bell_hang(void);

/* End it, and wake who waits. */
void wcm__bell_take_down(void);

/* What has happened so far, for wcm__bell_await(). */
uint32_t wcm__bell_seen(void);

/* Wait, NS at most, until something has happened since SEEN: a client has rung, the bell is taken
 * down. */
void wcm__bell_await(uint32_t seen, uint64_t ns);

struct wcm_bell_ring {
	struct wcm_agent_ring ring;
	uint32_t rope; /* the number of the pipe that it came by, of which each has a greater one */
	int readers;   /* by whom the process could be read (trace/process/readers.h) */
};

/* Take the next ring.  False: there is none. */
bool wcm__bell_answer(struct wcm_bell_ring *ring);

/* The latest pipe's number. */
uint32_t wcm__bell_rope(void);

/* Whether the program's own threads have all ended. */
bool wcm__bell_is_left_alone(void);

#endif
