/* SPDX-License-Identifier: MIT */
/* whocallme/agent.h - a running process that can be asked.  Include <whocallme.h> instead. */
#ifndef WHOCALLME_AGENT_H
#define WHOCALLME_AGENT_H

#include <whocallme/base.h>

WCM_BEGIN_DECLS

/* Start the agent: a thread named "wcm-agent" that serves "whocallme trace -p PID" and
 * "whocallme stack -p PID", and another one, "wcm-bell", that waits for them.  They block all
 * signals that can be, are in no report, and do not keep the process alive.  A client opens a
 * pipe of the second in /proc, for each request, which the kernel grants to whom it lets read
 * the process (PTRACE_MODE_READ, ptrace(2)); nobody else can have the program do anything.
 * Until a client asks, no descriptor of the program's table is in use.  A program started with
 * WHOCALLME_AGENT=yes in its environment has an agent from the start, unless it has more
 * privileges than whoever started it.  A child of fork(2) has none until it starts one, and what
 * a client traces of its parent is not traced in it.  A process that is not dumpable (prctl(2)),
 * as one that has changed its user or group, answers root alone, and a trace ends when it
 * becomes so.  Returns WCM_OK, also where there is an agent already, or WCM_ESYSTEM with errno:
 * EPERM where the process has more privileges than whoever started it, or ids of several users.
 * Thread-safe; not async-signal-safe. */
WCM_API enum wcm_status wcm_agent_start(void);

/* End the agent, and the trace that a client of it has begun.  Not for a destructor.
 * Thread-safe; not async-signal-safe. */
WCM_API void wcm_agent_stop(void);

WCM_END_DECLS

#endif
