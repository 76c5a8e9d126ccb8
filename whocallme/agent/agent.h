/* SPDX-License-Identifier: MIT */
/* agent.h - what the agent does for its clients.
 *
 * A client rings by a pipe, the rope of the bell, which has a new number whenever it is made anew,
 * and the agent connects to it.  The agent's threads call what follows; but the bell is hung and
 * taken down by who starts and ends the agent, and rest and go_on are of the thread that is to be
 * alone.
 */
#ifndef WCM_AGENT_AGENT_H
#define WCM_AGENT_AGENT_H

#include <stdbool.h>
#include <stdint.h>

#include "format/agent_protocol.h"

/* A descriptor in place of FD that is out of the program's way; FD itself where none is free. */
int wcm__agent_move_away(int fd);

/* Tell the client at FD to ring again. */
void wcm__agent_ask_again(int fd);

/* Answer the packet that has come at FD, if one has.  True: FD is to be kept, since it has a trace
 * or nothing has come yet. */
bool wcm__agent_answer(int fd);

/* The socket whose client's trace is on; -1: none. */
int wcm__agent_tracing(void);

/* Whether that trace has ended of itself: its output was not read, the program has stopped it,
 * begun another, or made itself unreadable (PR_SET_DUMPABLE). */
bool wcm__agent_trace_is_over(void);

/* End it. */
void wcm__agent_end_trace(void);

/* In a child of fork(2): forget it without ending it, for it is the parent's. */
void wcm__agent_forget_trace(void);

/* bell.c: the pipe by which clients call the agent, and the thread that waits at it. */

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
	uint32_t rope; /* the number of the pipe that it came by; each new pipe has a greater one */
	int readers;   /* by whom the process could be read (trace/process/readers.h) */
};

/* Take the next ring.  False: there is none. */
bool wcm__bell_answer(struct wcm_bell_ring *ring);

/* The latest pipe's number. */
uint32_t wcm__bell_rope(void);

/* Whether the program's own threads have all ended. */
bool wcm__bell_is_left_alone(void);

/* agent_rest: the agent ends for a moment in which the program is to have one thread. */

/* How many threads the agent has in this process. */
int wcm__agent_count(void);

/* End these threads, clients and their trace being kept; and start them again.  Where they cannot
 * be started, the process has no agent any more. */
void wcm__agent_rest(void);
void wcm__agent_go_on(void);

#endif
