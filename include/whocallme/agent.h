/* SPDX-License-Identifier: MIT */
/* whocallme/agent.h - a running process that can be asked.  Include <whocallme.h> instead. */
#ifndef WHOCALLME_AGENT_H
#define WHOCALLME_AGENT_H

#include <whocallme/base.h>

WCM_BEGIN_DECLS

/* Start the agent: a thread named "wcm-agent" that serves "whocallme trace -p PID" and
 * "whocallme stack -p PID" of the same user, and sleeps meanwhile.  It blocks all signals that
 * can be, is in no report, and does not keep the process alive.  It listens on a UNIX socket
 * with an abstract name; who connects is known by SO_PEERCRED, and nobody but this user is
 * answered, root neither.  A program started with WHOCALLME_AGENT=yes in its environment has
 * one from the start, unless it has more privileges than whoever started it.  A child of
 * fork(2) has none until it starts one, and what a client traces of its parent is not traced in
 * it.  A program that changes its user or group stops answering; it may stop and start the
 * agent then.  Returns WCM_OK, also where there is an agent already, or WCM_ESYSTEM with errno:
 * EPERM where the process has more privileges than whoever started it, or ids of several users.
 * Thread-safe; not async-signal-safe. */
WCM_API enum wcm_status wcm_agent_start(void);

/* End the agent, and the trace that a client of it has begun.  Not for a destructor.
 * Thread-safe; not async-signal-safe. */
WCM_API void wcm_agent_stop(void);

WCM_END_DECLS

#endif
