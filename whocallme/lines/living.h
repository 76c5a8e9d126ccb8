/* SPDX-License-Identifier: MIT */
/* living.h - lines for a program that is well and asked for them. */
#ifndef WCM_LINES_LIVING_H
#define WCM_LINES_LIVING_H

#include <stdbool.h>
#include <stdint.h>

#include "lines/dialogue.h"
#include "whocallme/lines.h"

/* Whether wcm_lines_start() was called: all others cost one test. */
bool wcm__living_wanted(void);

/* Ask where SITE is.  The dialogue with its answer, to be given back, or NULL: no
 * lines.  Safe in a signal handler; one thread at a time has it, the others wait for
 * it, and what interrupts its holder gets NULL.  wcm__asker_prepare() must have
 * been called; wcm__living_wanted() need not hold. */
struct wcm_dialogue *wcm__living_ask(uintptr_t site);
void wcm__living_give_back(struct wcm_dialogue *dialogue);

/* What wcm_lines_start() and wcm_lines_stop() do, once wcm__asker_prepare()
 * has been called. */
enum wcm_status wcm__living_start(const struct wcm_lines_options *options);
void wcm__living_stop(void);

/* In the child of a fork: close the way to the parent's helper, which would else not
 * see it end. */
void wcm__living_forget(void);

#endif
