/* SPDX-License-Identifier: MIT */
/* forks.c - a signal handler forks while its own thread loads functions, or forks.
 *
 *	forks MODULE [within]
 */
#include <pthread.h>
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

static int is_within;

static void fork_within(void)
{
	if (!is_within)
		return;
	is_within = 0;
	raise(SIGALRM);
}

static void set_first(void)
{
	pthread_atfork(fork_within, NULL, NULL);
}

/* What is set first, before the library is begun, comes last before a fork: that has its locks. */
__attribute__((section(".preinit_array"), used)) static void (*const first)(void) = set_first;

static int fork_in_fork(const char *module)
{
	struct wcm_functions *functions;
	int status;
	pid_t child;

	is_within = 1;
	signal(SIGALRM, fork_once);
	wcm_functions_load(&functions, module);
	child = fork();
	if (wcm_functions_load(&functions, module) != WCM_OK)
		_exit(1);
	if (child == 0)
		_exit(forks == 1 ? 0 : 1);
	return waitpid(child, &status, 0) == child && status == 0 && forks == 1 ? 0 : 1;
}

int main(int argc, char *argv[])
{
	struct itimerval often = { { 0, 3000 }, { 0, 3000 } };
	struct wcm_functions *functions;

	if (argc > 2)
		return fork_in_fork(argv[1]);
	signal(SIGALRM, fork_once);
	setitimer(ITIMER_REAL, &often, NULL);
	while (forks < 30) {
		wcm_functions_load(&functions, argv[1]);
		wcm_functions_free(functions);
	}
	return 0;
}
