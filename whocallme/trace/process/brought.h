/* SPDX-License-Identifier: MIT */
/* brought.h - what a client of the agent has made and brings for a trace to write to.
 *
 * The process has rights that its client may lack, in another mount namespace at the least.  What
 * the client has opened for writing it may write, and where it has made a file others may follow.
 */
#ifndef WCM_MODES_BROUGHT_H
#define WCM_MODES_BROUGHT_H

#include <stdbool.h>

#include "format/agent_protocol.h"

struct wcm_brought {
	int file; /* of a graph, or the marker of a recording, which is in its folder; or -1 */
	int list; /* of prototypes, in memory that nobody can change; or -1 */
};

/* Which is which of the files that came with a request; those that did not are -1, and last. */
struct wcm_brought wcm__brought_sort(const int file[WCM_AGENT_MOST_FILES]);

/* Lend it to the trace whose options have OUTPUT, by the address; NULL: to none. */
void wcm__brought_lend(const char *output, const struct wcm_brought *brought);

/* What is lent to the trace of OUTPUT, or NULL. */
const struct wcm_brought *wcm__brought_for(const char *output);

/* Whether FD is a regular file that is open for writing. */
bool wcm__brought_is_file(int fd);

/* Whether FD is such a file, empty, and of one name. */
bool wcm__brought_is_marker(int fd);

/* Whether it is the marker in FOLDER. */
bool wcm__brought_is_in(int fd, int folder);

#endif
