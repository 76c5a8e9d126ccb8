/* SPDX-License-Identifier: MIT */
/* options.h (SAFE) - how a crash is reported, as decided at install. */
#ifndef WCM_CRASH_OPTIONS_H
#define WCM_CRASH_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/report/demangle.h"
#include "crash/files/descriptor.h"
#include "lines/resolver.h"
#include "whocallme/crash.h"

enum { WCM_CRASH_PATTERN = 4096 };

/* The options with every default filled in, and what only a process that has not crashed can
 * find out.  Frozen once published. */
struct wcm_crash_plan {
	struct wcm_descriptor descriptor;
	uint32_t flags, sections, deadline_ms;
	enum wcm_names names;
	bool colours; /* the user wants them, where a terminal reads it */
	wcm_crash_callback *callback;
	void *callback_data;
	char file[WCM_CRASH_PATTERN]; /* empty: none */
	struct wcm_resolver_plan resolver;
};

/* Make PLAN of OPTIONS, which may be NULL.  WCM_EINVAL for what makes no sense
 * or is not known; then PLAN is unspecified. */
enum wcm_status wcm__crash_plan_init(struct wcm_crash_plan *plan,
				     const struct wcm_crash_options *options);

#endif
