/* SPDX-License-Identifier: MIT */
/* thread_text.h (SAFE) - writes for people what every thread does. */
#ifndef WCM_REPORT_THREAD_TEXT_H
#define WCM_REPORT_THREAD_TEXT_H

#include "core/report/demangle.h"
#include "whocallme/base.h"

/* wcm_threads_write() in a signal's handler, which was given UCONTEXT: the calling
 * thread's stack begins where the signal came; NAMES is how functions are called. */
void wcm__threads_write_from(int fd, const void *ucontext, enum wcm_names names);

/* wcm_threads_write() without the calling thread. */
enum wcm_status wcm__threads_write_others(int fd);

#endif
