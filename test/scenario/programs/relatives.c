/* SPDX-License-Identifier: MIT */
/* relatives.c - a program whose calls are main() and one(), and the processes that come
 * of it: each argument is done in its turn. */
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static volatile int count;

static void one(void)
{
	count++;
}

int main(int argc, char *argv[])
{
	char *alone[] = { argv[0], NULL };
	pid_t child = -1;

	one();
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "fork") == 0 && (child = fork()) == 0) {
			one();
			return 0;
		}
		if (strcmp(argv[i], "spawn") == 0)
			posix_spawn(&child, argv[0], NULL, NULL, alone, environ);
		if (strcmp(argv[i], "exec") == 0)
			execv(argv[0], alone);
		while (child > 0 && waitpid(child, NULL, 0) < 0)
			;
	}
	return 0;
}
