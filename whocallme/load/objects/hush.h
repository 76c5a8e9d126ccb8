/* SPDX-License-Identifier: MIT */
/* hush.h - drops what BFD prints to stderr past its own handler. */
#ifndef WCM_OBJECTS_HUSH_H
#define WCM_OBJECTS_HUSH_H

/* Until the end, what the calling thread prints to stderr is dropped.  One may be within
 * another; not for two threads at once. */
void wcm__hush(void);
void wcm__hush_end(void);

#endif
