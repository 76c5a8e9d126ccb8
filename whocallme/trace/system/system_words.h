/* SPDX-License-Identifier: MIT */
/* system_words.h (SAFE) - a system call as words: openat(AT_FDCWD, "o/foo", O_WRONLY|O_CREAT,
 * 0644) → 3.
 *
 * What a call is given is told before it is made, what the kernel puts into memory once it is
 * over.  All memory is read without faulting and may change meanwhile.  All of it is
 * async-signal-safe.
 */
#ifndef WCM_VALUES_SYSTEM_WORDS_H
#define WCM_VALUES_SYSTEM_WORDS_H

#include <stdbool.h>

#include "format/words.h"
#include "trace/system/system_call.h"

/* The name of the system call NUMBER; NULL: there is none. */
const char *wcm__system_name(long number);

/* The names of the classes that a call with a name is in, with blanks in between: "%file %desc". */
const char *wcm__system_classes(long number);

/* While CALL is about to be made: put "(" and the arguments up to the first whose words depend on
 * what the kernel has done, and note in CALL how many. */
void wcm__system_words_given(struct wcm_words *words, struct wcm_system_call *call);

/* When it is over: put the others, ")", and the result: " → 3", " → -1 ENOENT".  Where that is
 * WCM_SYSTEM_NEVER, put the others as they are before the call, and ")". */
void wcm__system_words_back(struct wcm_words *words, const struct wcm_system_call *call);

/* Whether there are others; put these alone, behind those before; put the result alone. */
bool wcm__system_words_go_on(const struct wcm_system_call *call);
void wcm__system_words_rest(struct wcm_words *words, const struct wcm_system_call *call);
void wcm__system_words_result(struct wcm_words *words, const struct wcm_system_call *call);

#endif
