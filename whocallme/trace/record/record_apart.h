/* SPDX-License-Identifier: MIT */
/* record_apart.h (SAFE) - puts system calls of children that have this process's memory into the
 * recording. */
#ifndef WCM_RECORD_RECORD_APART_H
#define WCM_RECORD_RECORD_APART_H

#include <stdbool.h>
#include <stdint.h>

struct wcm_system_call;

/* See sink.h. */
void wcm__record_apart(int child, bool *is_known, struct wcm_system_call *call, uint64_t begin,
		       uint64_t now);

#endif
