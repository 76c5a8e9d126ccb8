/* SPDX-License-Identifier: MIT */
/* text_sinks.h (SAFE) - what the modes that write lines do with an event: parts of wcm_sink. */
#ifndef WCM_TEXT_TEXT_SINKS_H
#define WCM_TEXT_TEXT_SINKS_H

#include "trace/engine/tracer.h"

void wcm__pairs_enter(struct wcm_tracer *tracer, struct wcm_call *call,
		      uint32_t depth);
void wcm__pairs_leave(struct wcm_tracer *tracer, struct wcm_call *call,
		      uint32_t depth, uint64_t now, enum wcm_end end);

bool wcm__addresses_begin(struct wcm_tracer *tracer);
void wcm__addresses_enter(struct wcm_tracer *tracer, struct wcm_call *call,
			  uint32_t depth);
void wcm__addresses_leave(struct wcm_tracer *tracer, struct wcm_call *call,
			  uint32_t depth, uint64_t now, enum wcm_end end);
void wcm__addresses_fork(void);

bool wcm__log_begin(struct wcm_tracer *tracer);
void wcm__log_enter(struct wcm_tracer *tracer, struct wcm_call *call,
		    uint32_t depth);
void wcm__log_leave(struct wcm_tracer *tracer, struct wcm_call *call,
		    uint32_t depth, uint64_t now, enum wcm_end end);
bool wcm__log_end(struct wcm_tracer *tracer);

/* Before a trace of addresses begins: modules are to be named anew. */
void wcm__addresses_open(void);

/* Write what the threads have folded so far. */
void wcm__log_flush(void);

/* The same, and what the process ends in. */
void wcm__log_crash(void);

#endif
