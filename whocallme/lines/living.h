/* SPDX-License-Identifier: MIT */
/* living.h - lines for a program that is well and asked for them. */
#ifndef WCM_LINES_LIVING_H
#define WCM_LINES_LIVING_H

#include <stdbool.h>
#include <stdint.h>

#include "lines/dialogue.h"

/* Whether wcm_lines_start() was called: all others cost one test. */
bool wcm__living_wanted(void);

/* Ask where SITE is.  The dialogue with its answer, to be given back, or NULL: no
 * lines.  Safe in a signal handler; one thread at a time has it, the others wait for
 * it, and what interrupts its holder gets NULL. */
struct wcm_dialogue *wcm__living_ask(uintptr_t site);
void wcm__living_give_back(struct wcm_dialogue *dialogue);

#endif
