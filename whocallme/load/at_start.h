/* SPDX-License-Identifier: MIT */
/* at_start.h - lists the modules that came with the program, before main. */
#ifndef WCM_LOAD_AT_START_H
#define WCM_LOAD_AT_START_H

/* Threads are about to be made: by now the first list of modules is published.
 * Called once. */
void wcm__at_first_thread(void);

#endif
