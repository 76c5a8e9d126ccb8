/* SPDX-License-Identifier: MIT */
/* log_system.h (SAFE) - the lines of system calls in the log. */
#ifndef WCM_TEXT_LOG_SYSTEM_H
#define WCM_TEXT_LOG_SYSTEM_H

#include "trace/engine/tracer.h"
#include "trace/log/open_words.h"
#include "trace/system/system_words.h"

/* CALL begins, which is a system call; ROOM has WCM_LOG_WORDS bytes. */
void wcm__log_system_enter(struct wcm_tracer *tracer, const struct wcm_call *call,
			   struct wcm_open_words *open, char *room);

struct wcm_log_end {
	uint64_t now;
	enum wcm_end end;
	char *room; /* as above */
};

/* It ends, and is written. */
void wcm__log_system_leave(struct wcm_tracer *tracer, const struct wcm_call *call,
			   uint32_t depth, const struct wcm_log_end *how,
			   struct wcm_open_words *open);

/* Those of TRACER's calls that are under way end with the process, and are written. */
void wcm__log_system_unfinished(const struct wcm_tracer *tracer,
				const struct wcm_open_words *open);

/* See sink.h. */
void wcm__log_system_apart(int child, bool *is_known, struct wcm_system_call *call,
			   uint64_t begin, uint64_t now);

#endif
