/* SPDX-License-Identifier: MIT */
/* process_end.h (SAFE) - finishes a trace whose process ends without exit(3). */
#ifndef WCM_STOP_PROCESS_END_H
#define WCM_STOP_PROCESS_END_H

#include <stdbool.h>

#include "trace/engine/sink.h"

/* The process is about to end: stop its trace and finish what it has written.  In the
 * child of vfork(2), and in one of fork(2) that has called nothing, it does nothing. */
void wcm__process_end_finish(void);

/* Whether the trace that is open is to go on until the system call that ends the process: lines of
 * these need nothing of the ordinary world to end. */
bool wcm__process_end_comes_later(void);

/* The process is about to run another program: have nothing unfinished in what its trace
 * has written.  It does nothing where the above does nothing. */
void wcm__process_end_exec(void);

/* Whether the next is called: a static program's calls are not interposed. */
extern bool wcm__process_end_is_told __attribute__((visibility("hidden")));

/* The process is about to give up WHAT: have the mode open what it needs at the end, where the
 * above does anything, and close what leads out of where the process is shut in. */
void wcm__process_end_give_up(enum wcm_gives_up what);

/* A crash has been reported: have the mode leave what it leaves of one. */
void wcm__process_end_crash(void);

/* Have the signals by which users and systems end a process leave what the mode leaves
 * of a crash, where nobody else takes them; the process dies of them all the same. */
void wcm__process_end_watch_signals(void);

#endif
