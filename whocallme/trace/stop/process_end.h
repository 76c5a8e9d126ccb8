/* SPDX-License-Identifier: MIT */
/* ending.h - what becomes of a trace when its process ends without exit(3)? */
#ifndef WCM_HOOK_ENDING_H
#define WCM_HOOK_ENDING_H

/* The process is about to end: stop its trace and finish what it has written.  In the
 * child of vfork(2), and in one of fork(2) that has called nothing, it does nothing. */
void wcm__ending_finish(void);

/* The process is about to run another program: have nothing unfinished in what its trace
 * has written.  It does nothing where the above does nothing. */
void wcm__ending_exec(void);

/* Have the signals by which users and systems end a process leave what the mode leaves
 * of a crash, where nobody else takes them; the process dies of them all the same. */
void wcm__ending_watch_signals(void);

#endif
