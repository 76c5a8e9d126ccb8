/* SPDX-License-Identifier: MIT */
/* first_line.c - the time from the start of a program to its first line of log.
 *
 *	first_line TIMES COMMAND ARGUMENT...
 *
 * Prints the microseconds of each time, from before posix_spawn(3) to when a line with FUN in
 * it has been read from the program's stderr.
 */
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"

extern char **environ;

/* When FUN has come; 0: it does not. */
static double wait_for_line(int fd)
{
	char said[65536];
	size_t used = 0;
	ssize_t more;

	while ((more = read(fd, said + used, sizeof(said) - 1 - used)) > 0) {
		used += (size_t)more;
		said[used] = '\0';
		if (strstr(said, "FUN"))
			return clock_ns();
	}
	return 0;
}

static double run(char *argv[])
{
	posix_spawn_file_actions_t actions;
	int ends[2], status;
	double begin, end;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) != 0)
		give_up("pipe2");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
	begin = clock_ns();
	if (posix_spawn(&pid, argv[0], &actions, NULL, argv, environ) != 0)
		give_up("posix_spawn");
	close(ends[1]);
	end = wait_for_line(ends[0]);
	waitpid(pid, &status, 0);
	close(ends[0]);
	posix_spawn_file_actions_destroy(&actions);
	if (end == 0)
		give_up("there is no line");
	return end - begin;
}

int main(int argc, char *argv[])
{
	if (argc < 3)
		give_up("first_line TIMES COMMAND ARGUMENT...");
	for (int i = atoi(argv[1]); i > 0; i--)
		printf("%.1f\n", run(argv + 2) / 1e3);
	return 0;
}
