/* SPDX-License-Identifier: MIT */
/* at_start.h - which modules came with the program? */
#ifndef WCM_LOAD_AT_START_H
#define WCM_LOAD_AT_START_H

/* Threads are about to be made: by now the first list of modules is published.
 * Called once. */
void wcm__at_first_thread(void);

#endif
