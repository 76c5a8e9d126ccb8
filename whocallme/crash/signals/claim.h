/* SPDX-License-Identifier: MIT */
/* claim.h (SAFE) - has several copies of this library in a process report a crash once.
 *
 * The copy that the kernel calls marks the siginfo that it hands on: another copy, whose handler
 * was there before, reports nothing then, and does the rest of what it does.
 */
#ifndef WCM_SIGNALS_CLAIM_H
#define WCM_SIGNALS_CLAIM_H

#include <signal.h>
#include <stdbool.h>

/* What another copy, of any version, reads and answers: it only grows. */
struct wcm_claim {
	const void *copy;      /* whose it is */
	bool is_reported;      /* the report is written */
	bool is_dying;         /* the answer: the process dies of the signal */
	void (*let_others)(void); /* to be called before the program's own handler is */
	bool is_question;      /* nothing is to be done */
	bool is_ignored;       /* the answer: a signal that was sent is */
};

/* Mark INFO; NULL: take the mark away. */
void wcm__claim(siginfo_t *info, struct wcm_claim *claim);

/* The claim of another copy; NULL: INFO is ours. */
struct wcm_claim *wcm__claim_of(const siginfo_t *info);

#endif
