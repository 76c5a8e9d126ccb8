/* SPDX-License-Identifier: MIT */
/* report.h (SAFE) - goes through the sections of a report, in order, while there is time. */
#ifndef WCM_REPORT_REPORT_H
#define WCM_REPORT_REPORT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/report/demangle.h"
#include "crash/files/withheld.h"

/* What to report, in which form, to whom. */
struct wcm_crash_report {
	const siginfo_t *info; /* what the handler was given */
	const void *ucontext;
	uint64_t deadline; /* of wcm__clock_ns(): by then all is out */
	uint64_t time;     /* of the crash, by wcm__last_calls_now() */
	uint32_t sections; /* WCM_SECTION_* */
	int fd;
	int not_to; /* the descriptor that was to get it, but is another; 0: none */
	bool json, colours;
	bool no_arguments; /* the program's path alone */
	enum wcm_names names;
	enum wcm_withheld withheld; /* or names and offsets alone */
	bool lined; /* its frames have source lines */
};

/* Write it, what cannot fail first.  False where FD has not taken all of it. */
bool wcm__crash_report(const struct wcm_crash_report *report);

/* secrets.c: finds what looks like a secret in a program's arguments. */

/* Put stars in the place of what looks like a secret in ARGUMENTS, SIZE bytes in which each
 * argument ends with a zero byte, the last one at the end.  Returns their new size: a secret has
 * three stars at most, so that its length is not shown. */
size_t wcm__secrets_star(char *arguments, size_t size);

#endif
