/* SPDX-License-Identifier: MIT */
/* hush.h - keep what the calling thread prints from stderr. */
#ifndef WCM_LOAD_HUSH_H
#define WCM_LOAD_HUSH_H

/* Until the end, what the calling thread prints to stderr is dropped.  One may be within
 * another; not for two threads at once. */
void wcm__hush(void);
void wcm__hush_end(void);

#endif
