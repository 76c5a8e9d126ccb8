/* SPDX-License-Identifier: MIT */
/* at_once.c - closes sockets that are shared with another process without waiting.
 *
 * Who closes the last reference to a socket waits as long as SO_LINGER says, which the other
 * process may have set; and sockets in its queue (SCM_RIGHTS) are closed with it.  Linux ends such
 * a wait when a signal comes: so SIGALRM comes every 2 ms until the call is over.  For a process of
 * one thread, which has no alarm of its own meanwhile.
 */
#include "agent/at_once.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>
#include <unistd.h>

enum { OFTEN = 2000 /* microseconds */ };

struct hurry {
	struct itimerval timer;
	struct sigaction action;
	sigset_t mask;
};

static void ignore(int signal)
{
	(void)signal;
}

static void begin(struct hurry *before)
{
	const struct itimerval often = { { 0, OFTEN }, { 0, OFTEN } };
	const struct sigaction action = { .sa_handler = ignore, .sa_flags = SA_RESTART };
	sigset_t alarms;

	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	sigaction(SIGALRM, &action, &before->action);
	sigprocmask(SIG_UNBLOCK, &alarms, &before->mask);
	setitimer(ITIMER_REAL, &often, &before->timer);
}

/* A timer from before exec goes on. */
static void end(const struct hurry *before)
{
	const int kept = errno;

	setitimer(ITIMER_REAL, &before->timer, NULL);
	sigprocmask(SIG_SETMASK, &before->mask, NULL);
	sigaction(SIGALRM, &before->action, NULL);
	errno = kept;
}

void close_at_once(int fd)
{
	struct hurry before;

	begin(&before);
	close(fd);
	end(&before);
}

ssize_t receive_at_once(int fd, struct msghdr *message, int flags)
{
	struct hurry before;
	ssize_t size;

	begin(&before);
	size = recvmsg(fd, message, flags | MSG_DONTWAIT);
	end(&before);
	return size;
}
