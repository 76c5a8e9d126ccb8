/* SPDX-License-Identifier: MIT */
/* start_page.h (SAFE) - keeps what the start of a process touches on pages of .data.
 *
 * Each page of .bss that is touched costs every process a page fault that the preload
 * library is loaded into.  The dynamic linker has touched those of .data already.
 */
#ifndef WCM_OS_START_PAGE_H
#define WCM_OS_START_PAGE_H

/* Of a small variable that is zero, and read or written at install. */
#define WCM_START_PAGE __attribute__((section(".data")))

#endif
