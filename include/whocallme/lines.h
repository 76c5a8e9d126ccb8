/* SPDX-License-Identifier: MIT */
/* whocallme/lines.h - where in the source is this?  Include <whocallme.h>
 * instead.
 *
 * Debug data is large and reading it is slow, so another process does: the helper,
 * "whocallme resolve --serve", started at first need and ended with the process. */
#ifndef WHOCALLME_LINES_H
#define WHOCALLME_LINES_H

#include <whocallme/base.h>

WCM_BEGIN_DECLS

/* The text of the source, with a line or two around, is written as well. */
#define WCM_LINES_SOURCE 0x1u

/* How lines are found.  Zero is the default of every field. */
struct wcm_lines_options {
	uint32_t flags;       /* WCM_LINES_* */
	uint32_t timeout_ms;  /* how long a question may take, in milliseconds;
			       * 0: 5000.  After one that took longer there
			       * are no lines any more. */
	const char *helper;   /* the path of whocallme; NULL: that of
			       * WHOCALLME_HELPER, else where it was installed.
			       * Copied. */
	uint64_t reserved[4]; /* zero */
};

/* From now on full_backtrace() and wcm_stack_write() write the source line of each
 * frame, and of each function that was inlined there, below its line:
 *
 *	#1 0x000055c70029c1be in main+0xe (/tmp/demo/prog+0x11be)
 *	   outer at /tmp/demo/prog.c:12:2 (inlined)
 *	   main at /tmp/demo/prog.c:19:2
 *
 * and who_call_me() names the caller also where that was inlined into its own.
 * They remain async-signal-safe, and take no more than 6 KiB of stack, as they do
 * without lines; what interrupts a question of its own thread goes without lines, and
 * so does a child of vfork(2).  A helper that has ended twice is not started again.
 * OPTIONS may be NULL; a second start changes them.  Returns WCM_OK, WCM_EINVAL, or
 * WCM_ESYSTEM where another thread keeps the helper for too long; a helper that is
 * missing shows at first need, in one line on stderr.  WHOCALLME_LINES=yes (or
 * =source) in the environment does the same from the start.  Thread-safe. */
WCM_API enum wcm_status wcm_lines_start(const struct wcm_lines_options *options);

/* No lines any more; the helper ends.  Thread-safe. */
WCM_API void wcm_lines_stop(void);

/* One function at an address.  Strings may be NULL, numbers 0, where unknown. */
struct wcm_source {
	const char *function; /* as people write it */
	const char *file;
	uint32_t line, column; /* from 1 */
	uint32_t flags;        /* WCM_SOURCE_* */
	uint32_t reserved;     /* zero */
};

/* The function was inlined into the next one, whose line is that of the call. */
#define WCM_SOURCE_INLINED 0x1u

/* All of them, innermost first. */
struct wcm_sources {
	const struct wcm_source *source;
	size_t count;
	uint64_t reserved[2]; /* zero */
};

/* Resolve ADDRESS of this process, exactly as given (see wcm_frame_site() for
 * frames), to the chain of functions whose code it is (DWARF 5, 3.3.8): *SOURCES,
 * for wcm_sources_free().  Returns WCM_OK; WCM_ENOMODULE where no module holds the
 * address, WCM_ENOLINES where no debug data that can be read describes it ("whocallme
 * resolve" says what is wrong with a file's), WCM_ESTALE where that is because the file at
 * the module's path is not the one that is mapped, WCM_EHELPER where the helper is missing
 * or does not answer, WCM_ENOMEM; *SOURCES is NULL then.  wcm_lines_start() need not
 * have been called.  Thread-safe; not async-signal-safe. */
WCM_API enum wcm_status wcm_symbol_resolve(uintptr_t address,
					   struct wcm_sources **sources);
WCM_API void wcm_sources_free(struct wcm_sources *sources);

WCM_END_DECLS

#endif
