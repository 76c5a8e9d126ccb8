/* SPDX-License-Identifier: MIT */
/* forking.c - "fork": children while threads begin; "raw": the only thread ends by the
 * system call exit(2), which ends a thread and not the process. */
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 40, CODE = 4 };

static int leaf(int value)
{
	return value + 1;
}

static void *work(void *unused)
{
	leaf(1);
	return unused;
}

static int fork_while_threads_begin(void)
{
	int failed = 0, status;

	for (int i = 0; i < ROUNDS; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, work, NULL);
		if (fork() == 0)
			_exit(leaf(0) - 1);
		pthread_join(thread, NULL);
	}
	while (wait(&status) > 0)
		failed += status != 0;
	return failed;
}

int main(int argc, char *argv[])
{
	if (argc > 1 && strcmp(argv[1], "fork") == 0)
		return fork_while_threads_begin();
	leaf(2);
	syscall(SYS_exit, CODE);
}
