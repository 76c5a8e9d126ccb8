/* SPDX-License-Identifier: MIT */
/* last_calls.h (SAFE) - the last calls of a thread, as whoever keeps them tells of them. */
#ifndef WCM_THREADS_LAST_CALLS_H
#define WCM_THREADS_LAST_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "format/text.h"
#include "core/symbols/dlopen_names.h"

struct wcm_last_call {
	uintptr_t address; /* in the function that was called */
	uint32_t depth;    /* 0 is the outermost of those that are told of */
	bool has_time;
	int64_t before;    /* nanoseconds from the call to the time of the report */
	int64_t since;     /* and from the call that is told of before it; of the first, 0 */
	uint64_t wall;     /* nanoseconds from 1970 to the call */
};

/* Which of these lines have. */
enum wcm_last_calls_times { WCM_CALLS_BEFORE, WCM_CALLS_SINCE, WCM_CALLS_WALL };

typedef bool wcm_last_call_visitor(const struct wcm_last_call *call, void *data);

/* Who keeps them. */
struct wcm_last_calls_keeper {
	/* What the time is, by the keeper's own count. */
	uint64_t (*now)(void);
	/* Pass the calls of thread TID to VISIT, the latest last, until that returns false.
	 * NOW is the time of the report.  False: none are kept. */
	bool (*visit)(int tid, uint64_t now, wcm_last_call_visitor *visit, void *data);
};

/* NULL: nobody does any more.  Both are async-signal-safe. */
void wcm__last_calls_keep(const struct wcm_last_calls_keeper *keeper);

bool wcm__last_calls_are_kept(void);

/* What lines have from now on. */
void wcm__last_calls_show(enum wcm_last_calls_times times);

/* As those of the keeper; 0 and false where there is none. */
uint64_t wcm__last_calls_now(void);
bool wcm__last_calls_visit(int tid, uint64_t now, wcm_last_call_visitor *visit, void *data);

/* Find what CALL is of; its address becomes that of the function's beginning, if that has a
 * name. */
bool wcm__last_call_symbol(struct wcm_last_call *call, struct wcm_symbol *symbol);

/* How they are written. */
struct wcm_last_calls_text {
	int fd;
	bool has_addresses; /* else names and offsets alone */
	wcm_name_writer *write_name;
};

/* Write the line that says what follows, and a call as a line.  False where the descriptor does
 * not take everything. */
bool wcm__last_calls_head(int fd);
bool wcm__last_call_write(const struct wcm_last_calls_text *text,
			  const struct wcm_last_call *call);

/* Write both of what is kept of thread TID, or nothing. */
bool wcm__last_calls_write(const struct wcm_last_calls_text *text, int tid, uint64_t now);

#endif
