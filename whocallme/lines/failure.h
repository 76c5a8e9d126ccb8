/* SPDX-License-Identifier: MIT */
/* failure.h (SAFE) - says why there are no lines, in words that help: what failed, and where. */
#ifndef WCM_LINES_FAILURE_H
#define WCM_LINES_FAILURE_H

#include "format/line.h"

struct wcm_failure {
	const char *path; /* of the resolver; NULL: it is not known */
	const char *reason;
	int64_t error; /* behind the reason; 0: none */
	const char *words; /* the resolver's own, or NULL */
};

/* The resolver at PATH was not started: ERROR is what wcm__resolver_start() returned. */
struct wcm_failure wcm__failure_to_start(const char *path, int error);

/* Add "<whocallme>: HEADING: PATH: REASON: WORDS" and a newline. */
void wcm__failure_add(struct wcm_line *line, const char *heading,
		      const struct wcm_failure *failure);

#endif
