/* SPDX-License-Identifier: MIT */
/* answer.h - what the agent does for its clients. */
#ifndef WCM_AGENT_ANSWER_H
#define WCM_AGENT_ANSWER_H

#include <stdbool.h>

/* A descriptor in place of FD that is out of the program's way; FD itself where there is none. */
int wcm__agent_move_away(int fd);

/* Have the client at FD ring again. */
void wcm__agent_ask_again(int fd);

/* Answer the packet that has come at FD, if one has.  True: FD is to be kept, it has a trace,
 * or nothing has come yet. */
bool wcm__agent_answer(int fd);

/* The socket whose client's trace is on; -1: none. */
int wcm__agent_tracing(void);

/* Whether that trace has ended of itself: its output was not read, the program has stopped it,
 * begun another, or had itself not be read any more. */
bool wcm__agent_trace_is_over(void);

/* End it. */
void wcm__agent_end_trace(void);

/* In a child of fork(2): it is its parent's. */
void wcm__agent_forget_trace(void);

#endif
