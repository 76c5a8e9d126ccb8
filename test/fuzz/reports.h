/* SPDX-License-Identifier: MIT */
/* reports.h - crash reports, stacks and files of addresses by their grammar. */
#ifndef FUZZ_REPORTS_H
#define FUZZ_REPORTS_H

#include "fuzzer.h"

/* Add to TEXT, for people: a report; a stack alone; events and modules as "trace
 * --addresses" has them. */
void report_as_text(struct text *text, struct choices *choices);
void stack_as_text(struct text *text, struct choices *choices);
void addresses_as_text(struct text *text, struct choices *choices);

/* Add a report as JSON, on a line. */
void report_as_json(struct text *text, struct choices *choices);

/* What both have in common: the path of a module, an address in one, a build-id (or
 * none, of SIZE 0). */
const char *report_path(struct choices *choices);
uint64_t report_pc(struct choices *choices);
void report_build_id(struct text *text, struct choices *choices);

#endif
