/* SPDX-License-Identifier: MIT */
/* static_probes.h (SAFE) - traces the static probes of modules. */
#ifndef WCM_STATIC_STATIC_PROBES_H
#define WCM_STATIC_STATIC_PROBES_H

#include <stdbool.h>

/* The probes whose "provider:name" is of GLOBS, which stay, are those to be traced; NULL: none.
 * Those of what is loaded are found and named; none is lit.  Not async-signal-safe. */
void wcm__static_probes_want(const char *globs);

/* Whether some have been found.  Not async-signal-safe. */
bool wcm__static_probes_match(void);

/* Have SIGTRAP be kept for them, before wcm__system_calls_on(), or no longer, behind the end of
 * that. */
void wcm__static_probes_keep(bool on);

/* Light them, and those of what is loaded from now on.  0, or a negated errno: some are not.  Not
 * async-signal-safe. */
long wcm__static_probes_on(void);

/* Put all out.  Signal-safe. */
void wcm__static_probes_off(void);

/* Pass the names of all that there are or were to TELL.  Not async-signal-safe. */
void wcm__static_probes_list(void (*tell)(const char *name, void *data), void *data);

#endif
