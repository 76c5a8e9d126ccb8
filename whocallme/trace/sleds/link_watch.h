/* SPDX-License-Identifier: MIT */
/* link_watch.h (SAFE) - has the dynamic linker tell of what it loads and unloads. */
#ifndef WCM_CODE_LINK_WATCH_H
#define WCM_CODE_LINK_WATCH_H

#include <stdbool.h>
#include <stdint.h>

/* Have the sleds' hook be called, from *PC, when the dynamic linker is about to change its
 * list and when it has.  FD is wcm__code_open()'s.  False: it cannot be had.  One thread at
 * a time, as the next; signal-safe. */
bool wcm__link_watch_begin(int fd, uintptr_t *pc);
void wcm__link_watch_end(int fd);

#endif
