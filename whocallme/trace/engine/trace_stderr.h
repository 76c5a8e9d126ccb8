/* SPDX-License-Identifier: MIT */
/* trace_stderr.h (SAFE) - finds the descriptor for a trace's complaints. */
#ifndef WCM_PROBE_TRACE_STDERR_H
#define WCM_PROBE_TRACE_STDERR_H

/* Note what stderr is at this moment. */
void wcm__trace_stderr_note(void);

/* From now on complaints go to FD, which never raises SIGPIPE; -1: to stderr again. */
void wcm__trace_stderr_lend(int fd);

/* The descriptor for complaints; -1 where it has become something else since it was
 * noted. */
int wcm__trace_stderr(void);

#endif
