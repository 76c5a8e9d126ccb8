/* SPDX-License-Identifier: MIT */
/* trace_stderr.h - finds the descriptor for a trace's complaints. */
#ifndef WCM_PROBE_TRACE_STDERR_H
#define WCM_PROBE_TRACE_STDERR_H

/* Note what stderr is at this moment. */
void wcm__trace_stderr_note(void);

/* The descriptor of stderr; -1 where it has become something else since it was noted. */
int wcm__trace_stderr(void);

#endif
