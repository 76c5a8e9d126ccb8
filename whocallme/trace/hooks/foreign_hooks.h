/* SPDX-License-Identifier: MIT */
/* foreign_hooks.h - says which modules call hooks that are not this library's. */
#ifndef WCM_CONTROL_FOREIGN_HOOKS_H
#define WCM_CONTROL_FOREIGN_HOOKS_H

/* A line each, of the modules that are loaded now. */
void wcm__foreign_hooks_tell(void);

#endif
