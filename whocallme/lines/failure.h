/* SPDX-License-Identifier: MIT */
/* failure.h - why are there no lines? */
#ifndef WCM_LINES_FAILURE_H
#define WCM_LINES_FAILURE_H

#include "report/line.h"

struct wcm_failure {
	const char *path; /* of the helper; NULL: it is not known */
	const char *reason;
	int64_t error; /* behind the reason; 0: none */
};

/* The helper at PATH was not started: ERROR is what wcm__resolver_start() returned. */
struct wcm_failure wcm__failure_to_start(const char *path, int error);

/* Add "<whocallme>: HEADING: PATH: REASON" and a newline. */
void wcm__failure_add(struct wcm_line *line, const char *heading,
		      const struct wcm_failure *failure);

#endif
