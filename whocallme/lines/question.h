/* SPDX-License-Identifier: MIT */
/* question.h - what is the helper asked about an address? */
#ifndef WCM_LINES_QUESTION_H
#define WCM_LINES_QUESTION_H

#include <stddef.h>
#include <stdint.h>

enum { WCM_QUESTION_SIZE = 32768 };

/* Put the question where SITE is, an address of this process, into TEXT, of
 * WCM_QUESTION_SIZE.  Returns its size; 0 where there is nothing to ask. */
size_t wcm__question_make(char *text, uintptr_t site);

#endif
