/* SPDX-License-Identifier: MIT */
/* open_words.h (SAFE) - the words of the calls of a thread that are open, until they end.
 *
 * What a call was given is made into words when it begins: when it ends, that may have changed.
 */
#ifndef WCM_TEXT_OPEN_WORDS_H
#define WCM_TEXT_OPEN_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include "trace/engine/call.h"

struct wcm_open_words {
	char *room;
	size_t used;
};

/* Keep the SIZE bytes at TEXT for CALL.  Where there is no room, those before are forgotten. */
void wcm__open_words_keep(struct wcm_open_words *words, const struct wcm_call *call,
			  const char *text, size_t size);

/* Those of CALL, which may be another thread's that is at nothing: as below. */
size_t wcm__open_words_find(const struct wcm_open_words *words, const struct wcm_call *call,
			    const char **text);

/* Take those of CALL, which ends: *TEXT stays until others are kept.  Returns their size; 0:
 * there are none. */
size_t wcm__open_words_take(struct wcm_open_words *words, const struct wcm_call *call,
			    const char **text);

#endif
