/* SPDX-License-Identifier: MIT */
/* whocallme/crash.h - what killed us?  Include <whocallme.h> instead. */
#ifndef WHOCALLME_CRASH_H
#define WHOCALLME_CRASH_H

#include <whocallme/base.h>

WCM_BEGIN_DECLS

/* How a crash is reported.  Zero is the default of every field. */
struct wcm_crash_options {
	int fd;               /* where the report goes; 0 and less: stderr */
	uint32_t flags;       /* zero */
	uint64_t reserved[6]; /* zero */
};

/* Report SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP and SIGSYS: signal,
 * cause in words, fault address, thread and backtrace, written with raw system
 * calls only.  The action that was installed before then takes the signal with
 * its original siginfo: by default the process dies of it and leaves its core.
 * OPTIONS may be NULL.  The calling thread gets an alternate stack unless it
 * has one.  Names come from the tables that init_function_table() loaded and
 * from mapped .dynsym.  Returns WCM_OK, WCM_EINVAL for options this version
 * does not know, or WCM_ESYSTEM.  A second install changes the options only.
 * Thread-safe. */
WCM_API enum wcm_status
wcm_crash_install(const struct wcm_crash_options *options);

/* Put back the actions found at install, for each signal that is still ours. */
WCM_API void wcm_crash_remove(void);

WCM_END_DECLS

#endif
