/* SPDX-License-Identifier: MIT */
/* forks.c - a signal handler forks while its own thread loads functions. */
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <whocallme.h>

static volatile int forks;

static void fork_once(int signal)
{
	pid_t child = fork();

	(void)signal;
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	forks++;
}

int main(int argc, char *argv[])
{
	struct itimerval often = { { 0, 3000 }, { 0, 3000 } };
	struct wcm_functions *functions;

	(void)argc;
	signal(SIGALRM, fork_once);
	setitimer(ITIMER_REAL, &often, NULL);
	while (forks < 30) {
		wcm_functions_load(&functions, argv[1]);
		wcm_functions_free(functions);
	}
	return 0;
}
