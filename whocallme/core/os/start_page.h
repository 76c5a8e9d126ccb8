/* SPDX-License-Identifier: MIT */
/* start_page.h - where is what a process's start touches?
 *
 * Each page of .bss that is touched is a page fault of every process that the preload
 * library is loaded into; that of .data the dynamic linker has touched already.
 */
#ifndef WCM_CRASH_START_PAGE_H
#define WCM_CRASH_START_PAGE_H

/* Of a small variable that is zero, and read or written at install. */
#define WCM_START_PAGE __attribute__((section(".data")))

#endif
