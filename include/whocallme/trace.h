/* SPDX-License-Identifier: MIT */
/* whocallme/trace.h - every call of a program built with
 * -finstrument-functions.  Include <whocallme.h> instead. */
#ifndef WHOCALLME_TRACE_H
#define WHOCALLME_TRACE_H

#include <whocallme/base.h>

WCM_BEGIN_DECLS

/* What is written of each call. */
enum wcm_trace_mode {
	/* a line a call:
	 * __cyg_profile_func_enter: func = test_a, called by = main */
	WCM_TRACE_PAIRS = 0
};

/* How to trace.  Zero is the default of every field. */
struct wcm_trace_options {
	uint32_t mode;        /* enum wcm_trace_mode */
	int fd;               /* where the lines go; 0 and less: stderr */
	uint64_t reserved[6]; /* zero */
};

/* Start tracing every instrumented function, in all threads; the functions'
 * names are loaded first.  OPTIONS may be NULL.  Returns WCM_OK or WCM_EINVAL.
 * A program started with WHOCALLME_TRACE=pairs in its environment traces from
 * its first instrumented function on and need not call this.  Thread-safe; not
 * async-signal-safe. */
WCM_API enum wcm_status
wcm_trace_start(const struct wcm_trace_options *options);

/* Stop tracing.  A call that another thread is writing is still finished. */
WCM_API WCM_SIGSAFE void wcm_trace_stop(void);

/* What the compiler calls on entry and exit of a function under
 * -finstrument-functions (GCC manual, "Program Instrumentation Options"). */
WCM_API WCM_SIGSAFE void __cyg_profile_func_enter(void *func, void *call_site)
	__attribute__((no_instrument_function));
WCM_API WCM_SIGSAFE void __cyg_profile_func_exit(void *func, void *call_site)
	__attribute__((no_instrument_function));

WCM_END_DECLS

#endif
