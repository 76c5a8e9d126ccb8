/* SPDX-License-Identifier: MIT */
/* quiesce.h (SAFE) - waits until no thread is in a hook.
 *
 * A hook first announces itself in its thread's tracer, then looks at the gate.  Once the
 * gate is closed and every CPU has seen that, a thread that is not in a hook stays out, and
 * what only hooks use can be taken apart.
 */
#ifndef WCM_PROBE_QUIESCE_H
#define WCM_PROBE_QUIESCE_H

#include <stdbool.h>

/* The gate is closed: wait until no other thread is in a hook.  False: one does not
 * come out, for a second, and is not waited for again as long as it stays: it has been
 * stopped, or a handler has jumped away from it.  Signal-safe. */
bool wcm__quiesce_hooks(void);

/* The same, and until no other thread is in wcm_trace_stop(). */
bool wcm__quiesce_all(void);

#endif
