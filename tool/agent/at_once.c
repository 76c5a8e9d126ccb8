/* SPDX-License-Identifier: MIT */
/* at_once.c - closes what another process has a part in, without waiting for that one.
 *
 * A socket that is closed for good waits for its other end as long as who has set SO_LINGER likes,
 * and what is closed may hold others in its queue, and those more.  None of them waits while a
 * signal is pending: so one comes again and again as long as the call lasts.
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

/* An alarm of whoever has started the command goes on. */
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
