/* SPDX-License-Identifier: MIT */
/* quiet.h - waiting for hooks to come out.
 *
 * A hook announces itself in its thread's tracer, and looks at the gate after that.
 * So once the gate is closed, and every CPU has seen it, a thread that is not in a hook
 * stays out, and what only hooks use can be taken apart.
 */
#ifndef WCM_HOOK_QUIET_H
#define WCM_HOOK_QUIET_H

#include <stdbool.h>

/* The gate is closed: wait until no other thread is in a hook.  False: one does not
 * come out, for a second, and is not waited for again as long as it stays: it has been
 * stopped, or a handler has jumped away from it.  Signal-safe. */
bool wcm__quiet_await_hooks(void);

/* The same, and until no other thread is in wcm_trace_stop(). */
bool wcm__quiet_await_all(void);

#endif
