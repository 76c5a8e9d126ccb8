/* SPDX-License-Identifier: MIT */
/* child.h - tells how a process that this command started has ended.
 *
 * Where SIGCHLD is ignored, as some parents leave it, the kernel keeps no status (sigaction(2)).
 */
#ifndef WCM_TOOL_CHILD_H
#define WCM_TOOL_CHILD_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/wait.h>

/* Before the child is started: have its status kept.  What SIGCHLD did is in BEFORE. */
static inline void child_expect(struct sigaction *before)
{
	const struct sigaction by_default = { .sa_handler = SIG_DFL };

	sigaction(SIGCHLD, &by_default, before);
}

/* Wait for CHILD, if that is positive, and have SIGCHLD do what it did.  Whether it exited with
 * status 0. */
static inline bool child_succeeded(pid_t child, const struct sigaction *before)
{
	int status = -1;
	pid_t ended = -1;

	while (child > 0 && (ended = waitpid(child, &status, 0)) < 0 && errno == EINTR)
		;
	sigaction(SIGCHLD, before, NULL);
	return ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

#endif
