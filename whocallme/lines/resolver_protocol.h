/* SPDX-License-Identifier: MIT */
/* resolver_protocol.h (SAFE) - sends requests to the resolver, and checks its answers
 * (format/lines_protocol.h).
 */
#ifndef WCM_LINES_RESOLVER_PROTOCOL_H
#define WCM_LINES_RESOLVER_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/text.h"
#include "format/lines_protocol.h"
#include "lines/spawn.h"

struct wcm_resolver {
	struct wcm_spawned process;
	char answer[WCM_ANSWER_SIZE]; /* zero bytes where lines ended */
	size_t size;   /* of the answer; 0: nothing is known */
	size_t at;     /* of what wcm__resolver_next() reads next */
	const char *complaint; /* what is wrong with the file, or NULL */
};

/* Why there is no answer. */
enum wcm_silence {
	WCM_SILENCE_NONE,  /* there is one */
	WCM_SILENCE_LATE,  /* not by the deadline */
	WCM_SILENCE_ENDED, /* the resolver has gone */
	WCM_SILENCE_NOISE, /* it says what is no answer, or more than fits */
};

/* Ask where SITE is, an address of this process, and wait for the whole answer
 * until DEADLINE (of wcm__clock_ns()).  Code of no file is not asked about: its
 * answer is empty.  No signal, SIGPIPE among them, comes of it.  After any silence
 * the resolver has been ended, and further requests get WCM_SILENCE_ENDED. */
enum wcm_silence wcm__resolver_ask(struct wcm_resolver *resolver,
				   uintptr_t site, uint64_t deadline);

/* The next function of the answer of which anything is known.  False where there is
 * none. */
bool wcm__resolver_next(struct wcm_resolver *resolver,
			struct wcm_answered *answered);

/* Ask the resolver nothing, and end it: the first line that it says, of a length that
 * fits into one, or NULL.  For a second at most, and until DEADLINE. */
const char *wcm__resolver_last_words(struct wcm_resolver *resolver,
				     uint64_t deadline);

/* Begin with the first function of the answer again. */
void wcm__resolver_again(struct wcm_resolver *resolver);

/* resolver_request.c: makes the request about an address: build-id or tag, path and offset of
 * its module. */

enum { WCM_REQUEST_ROOM = 32768 };

/* Put the request where SITE is, an address of this process, into TEXT, of
 * WCM_REQUEST_ROOM.  Returns its size; 0 where there is nothing to ask. */
size_t wcm__request_make(char *text, uintptr_t site);

#endif
