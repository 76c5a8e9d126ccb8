/* SPDX-License-Identifier: MIT */
/* sink_record.h (SAFE) - puts every call into the recording, and ends the records of all
 * threads. */
#ifndef WCM_RECORD_SINK_RECORD_H
#define WCM_RECORD_SINK_RECORD_H

#include "trace/engine/sink.h"

bool wcm__record_begin(struct wcm_tracer *tracer);
void wcm__record_enter(struct wcm_tracer *tracer, struct wcm_call *call,
		       uint32_t depth);
void wcm__record_leave(struct wcm_tracer *tracer, struct wcm_call *call,
		       uint32_t depth, uint64_t now, enum wcm_end end);
bool wcm__record_enter_fast(struct wcm_tracer *tracer, struct wcm_call *call, uint32_t depth,
			    const struct wcm_given *given);
bool wcm__record_leave_fast(struct wcm_tracer *tracer, struct wcm_call *call, uint32_t depth,
			    uint64_t now, const struct wcm_given *given);
void wcm__record_before_close(struct wcm_tracer *tracer);
bool wcm__record_end(struct wcm_tracer *tracer);

/* A thread that is no more may have had the number TID, which another task has now: nothing is
 * written for it any more.  BUT, or NULL, is that other one's. */
void wcm__record_abandon(int tid, const struct wcm_tracer *but);
void wcm__record_fork(void);

/* Records of this process for which there was no room, since that was forgotten. */
uint64_t wcm__recording_lost(void);

/* Count EVENTS that had no file. */
void wcm__recording_lose(uint64_t events);
void wcm__recording_forget_lost(void);

/* fork(2) has been called, which runs functions in its caller before it and behind it: it
 * is in the records, as uftrace knows by it how deep the child is. */
void wcm__recording_before_fork(void);
void wcm__recording_after_fork(void);

/* The calling thread runs another program, if that can be. */
void wcm__recording_before_exec(void);

/* End the files of all threads of this process: what they still write is lost. */
void wcm__recording_end(void);

/* The same as the trace stops: the recording has taken as long as this. */
void wcm__recording_stop(void);

#endif
