/* SPDX-License-Identifier: MIT */
/* said_to.c - what a trace has to say goes to stderr, as long as that is stderr.
 *
 * A program may close it, and the next file that it opens gets the number.
 */
#include "hook/said_to.h"

#include <unistd.h>

#include "crash/descriptor.h"

static struct wcm_descriptor noted; /* at first unknown */

void wcm__said_to_note(void)
{
	wcm__descriptor_note(&noted, STDERR_FILENO);
}

int wcm__said_to(void)
{
	return noted.fd == STDERR_FILENO && wcm__descriptor_is_another(&noted) ?
		       -1 : STDERR_FILENO;
}
