/* SPDX-License-Identifier: MIT */
/* gate.h (SAFE) - whether a trace is open, and what every hook has to know of it.
 *
 * An instrumented call tests one word while nothing is traced: whether a trace is open and
 * whether threads keep their last calls are its two halves.  The rest is written while the
 * gate is closed.
 */
#ifndef WCM_PROBE_GATE_H
#define WCM_PROBE_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "format/words.h"

struct wcm_sink;

/* What hooks test, as one word; in a struct the two are written each by itself. */
union wcm_gate_word {
	struct {
		uint32_t live;   /* the trace that is open; 0: none is */
		uint32_t flight; /* the flight recorder's start that counts; 0: it is off */
	};
	uint64_t any;
};

struct wcm_gate {
	union {
		struct {
			uint32_t live, flight;
		};
		union wcm_gate_word word;
	};
	uint32_t generation; /* of the trace that is open, or was last; from 1 */
	int owner;           /* the process that has opened it */
	uint32_t flags;      /* WCM_TRACE_* */
	uint32_t shown;      /* bytes of strings; 0: the default */
	const struct wcm_sink *sink; /* that hooks tell: the mode, or what wraps it */
	const struct wcm_sink *roomy; /* the same on a stack that is known to have room */
	const struct wcm_sink *mode; /* NULL: the last trace is finished */
	bool hides;          /* what wraps it keeps calls from it */
	bool delays;         /* and tells it of others late */
	bool returns;        /* sleds tell of the ends of calls, too */
	bool values;         /* and of what calls hand over */
	bool is_plain;       /* of the former alone, to what a first stage may do */
	bool is_given;       /* of both, the same */
	uint64_t start;      /* the moment that times count from, as wcm__ticks_ns() has it */
	uint64_t wall;       /* the same, in nanoseconds since 1970 */
};

extern struct wcm_gate wcm__gate __attribute__((visibility("hidden")));

/* Have WORDS be as the trace's options ask. */
void wcm__gate_words(struct wcm_words *words);

/* Both halves, read at once. */
static inline union wcm_gate_word wcm__gate_word(void)
{
	return (union wcm_gate_word){ .any = __atomic_load_n(&wcm__gate.word.any,
							     __ATOMIC_ACQUIRE) };
}

/* The generation that is open; 0: none is. */
static inline uint32_t wcm__gate_live(void)
{
	return __atomic_load_n(&wcm__gate.live, __ATOMIC_ACQUIRE);
}

static inline bool wcm__gate_is_open(void)
{
	return __builtin_expect(wcm__gate_live() != 0, 0);
}

/* The mode of the trace that is open or not yet finished, or NULL.  The next trace may be
 * another's: a caller reads it once. */
static inline const struct wcm_sink *wcm__gate_mode(void)
{
	return __atomic_load_n(&wcm__gate.mode, __ATOMIC_RELAXED);
}

/* Close it: hooks that are running go on.  False: it was closed. */
static inline bool wcm__gate_close(void)
{
	return __atomic_exchange_n(&wcm__gate.live, 0, __ATOMIC_ACQ_REL) != 0;
}

#endif
