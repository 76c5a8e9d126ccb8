/* SPDX-License-Identifier: MIT */
/* trace_stop.h (SAFE) - closes a trace, in any state of the process. */
#ifndef WCM_STOP_TRACE_STOP_H
#define WCM_STOP_TRACE_STOP_H

/* wcm_trace_stop() but for the code, which is left as it is patched: for a process that
 * ends.  Signal-safe. */
void wcm__trace_close(void);

#endif
