/* SPDX-License-Identifier: MIT */
/* preload_hooks.h - the hooks of -finstrument-functions, in a preloaded crash report. */
#ifndef WCM_PRELOAD_PRELOAD_HOOKS_H
#define WCM_PRELOAD_PRELOAD_HOOKS_H

/* Find the hooks that would be called without ours. */
void wcm__preload_hooks_prepare(void);

#endif
