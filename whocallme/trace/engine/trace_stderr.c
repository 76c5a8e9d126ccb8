/* SPDX-License-Identifier: MIT */
/* trace_stderr.c (SAFE) - finds the descriptor for a trace's complaints: stderr, or what a client
 * of the agent reads, while it is what it was.
 *
 * A program may close stderr, and the next file that it opens gets the number.
 */
#include "trace/engine/trace_stderr.h"

#include <unistd.h>

#include "crash/files/descriptor.h"

static struct wcm_descriptor at_start; /* at first unknown */
static struct wcm_descriptor clients;
static int clients_fd = -1; /* CLIENTS is of it */

void wcm__trace_stderr_note(void)
{
	wcm__descriptor_note(&at_start, STDERR_FILENO);
}

void wcm__trace_stderr_lend(int fd)
{
	__atomic_store_n(&clients_fd, -1, __ATOMIC_RELEASE);
	if (fd < 0)
		return;
	wcm__descriptor_note(&clients, fd);
	__atomic_store_n(&clients_fd, fd, __ATOMIC_RELEASE);
}

int wcm__trace_stderr(void)
{
	const int lent = __atomic_load_n(&clients_fd, __ATOMIC_ACQUIRE);

	if (lent >= 0)
		return wcm__descriptor_is_another(&clients) ? -1 : lent;
	return at_start.fd == STDERR_FILENO &&
			       wcm__descriptor_is_another(&at_start)
		       ? -1
		       : STDERR_FILENO;
}
