/* SPDX-License-Identifier: MIT */
/* dialogue.h - questions to the helper, and its answers.
 *
 * A question is a line, BUILDID:PATH+0xADDRESS, either part before the plus being
 * enough.  The answer is, for each function at the address, innermost first,
 *
 *	FUNCTION
 *	FILE:LINE:COLUMN
 *
 * as addr2line -fi has it, ?? and 0 being what is unknown, perhaps with lines of
 * source text behind, each beginning with a tab; before them, perhaps, a line that
 * begins with "! " and says what is wrong with the file, once a file; and an empty
 * line at the end.  Control bytes in names are escaped as wcm__line_name() does.
 */
#ifndef WCM_LINES_DIALOGUE_H
#define WCM_LINES_DIALOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lines/spawn.h"

enum { WCM_ANSWER_SIZE = 65536 };

/* One function at an address: parts of an answer, which lives until the next
 * question.  Strings are NULL, numbers 0, where unknown. */
struct wcm_answered {
	const char *function, *file;
	uint32_t line, column;
	bool inlined;
	const char *text; /* source lines, each with its tab and newline, or NULL */
};

struct wcm_dialogue {
	struct wcm_spawned helper;
	char answer[WCM_ANSWER_SIZE]; /* zero bytes where lines ended */
	size_t size;   /* of the answer; 0: nothing is known */
	size_t at;     /* of what wcm__dialogue_next() reads next */
	const char *complaint; /* what is wrong with the file, or NULL */
};

/* Why there is no answer. */
enum wcm_silence {
	WCM_SILENCE_NONE,  /* there is one */
	WCM_SILENCE_LATE,  /* not by the deadline */
	WCM_SILENCE_ENDED, /* the helper has gone */
	WCM_SILENCE_NOISE, /* it says what is no answer, or more than fits */
};

/* Ask where SITE is, an address of this process, and wait for the whole answer
 * until DEADLINE (of wcm__clock_ns()).  Code of no file is not asked about: its
 * answer is empty.  No signal, SIGPIPE among them, comes of it.  After any silence
 * the helper has been ended, and further questions get WCM_SILENCE_ENDED. */
enum wcm_silence wcm__dialogue_ask(struct wcm_dialogue *dialogue,
				   uintptr_t site, uint64_t deadline);

/* The next function of the answer of which anything is known.  False where there is
 * none. */
bool wcm__dialogue_next(struct wcm_dialogue *dialogue,
			struct wcm_answered *answered);

/* Ask the helper nothing, and end it: the first line that it says, of a length that
 * fits into one, or NULL.  For a second at most, and until DEADLINE. */
const char *wcm__dialogue_last_words(struct wcm_dialogue *dialogue,
				     uint64_t deadline);

/* Begin with the first function of the answer again. */
void wcm__dialogue_again(struct wcm_dialogue *dialogue);

#endif
