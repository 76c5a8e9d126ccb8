/* SPDX-License-Identifier: MIT */
/* resolver_session.h (SAFE) - asks the resolver for lines in a process that has not crashed. */
#ifndef WCM_LINES_RESOLVER_SESSION_H
#define WCM_LINES_RESOLVER_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "lines/resolver_protocol.h"
#include "whocallme/lines.h"

/* True from a successful wcm_lines_start() until wcm_lines_stop().  A caller that writes
 * lines only when they are wanted tests this before it asks. */
bool wcm__lines_wanted(void);

/* Ask for the lines of SITE.  Returns the resolver with its answer, which the caller gives
 * back; or NULL, if there are no lines.  Safe in a signal handler; it may start a process.
 * One thread holds the resolver; others wait a bounded time; a handler that interrupts the
 * holder gets NULL.  Call wcm__resolver_turn_prepare() first; wcm_lines_start() is not
 * needed. */
struct wcm_resolver *wcm__lines_ask(uintptr_t site);
void wcm__lines_give_back(struct wcm_resolver *resolver);

/* What wcm_lines_start() and wcm_lines_stop() do, once wcm__resolver_turn_prepare()
 * has been called. */
enum wcm_status wcm__lines_start(const struct wcm_lines_options *options);
void wcm__lines_stop(void);

/* In the child of a fork: close the descriptor to the parent's resolver.  While the child
 * holds it open, the resolver does not notice that the parent ends. */
void wcm__lines_forget(void);

#endif
