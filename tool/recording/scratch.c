/* SPDX-License-Identifier: MIT */
/* scratch.c - makes a temporary folder that is removed however the command ends.
 *
 * Who reads the output goes away, a terminal is closed, memory is short: a signal lets
 * nothing be removed.  Another process waits for the end of this one, which a pipe tells,
 * and removes what is left.
 */
#include "recording/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/complain.h"

static pid_t waiting;    /* the other process, or 0 */
static int own_end = -1; /* of the pipe */
static int scratch = -1; /* the folder */

/* It may have been given to another user: what is removed is in the folder, or empty. */
static void remove_folder(int fd, const char *dir)
{
	const int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = again >= 0 ? fdopendir(again) : NULL;
	struct dirent *part;

	while (folder && (part = readdir(folder)))
		if (part->d_name[0] != '.')
			unlinkat(fd, part->d_name, 0);
	if (folder)
		closedir(folder);
	else if (again >= 0)
		close(again);
	rmdir(dir);
}

/* All signals are blocked: what ends the command is not to end this. */
static _Noreturn void wait_and_remove(const char *dir, int end)
{
	enum { FEW = 1024 };
	char nothing;

	/* Nothing else of the command's is held open, as a pipe that somebody reads. */
	dup2(end, STDIN_FILENO);
	dup2(scratch, STDOUT_FILENO);
	for (int fd = STDERR_FILENO; fd < FEW; fd++)
		close(fd);
	while (read(STDIN_FILENO, &nothing, 1) < 0 && errno == EINTR)
		;
	remove_folder(STDOUT_FILENO, dir);
	_exit(0);
}

/* Where that cannot be, DIR is left behind if the command is killed. */
static void start_waiting(const char *dir)
{
	sigset_t all, before;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	waiting = fork();
	if (waiting == 0)
		wait_and_remove(dir, ends[0]);
	sigprocmask(SIG_SETMASK, &before, NULL);
	/* A closed standard output is none all the same. */
	own_end = fcntl(ends[1], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	close(ends[0]);
	close(ends[1]);
}

/* As a descriptor that is none of the standard ones. */
static int open_folder(const char *dir)
{
	const int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	const int moved = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1;

	if (fd >= 0)
		close(fd);
	return moved;
}

char *scratch_make(const char *parent)
{
	char *dir = NULL;

	if (!parent)
		parent = getenv("TMPDIR");
	if (asprintf(&dir, "%s/whocallme-XXXXXX", parent && *parent ? parent : "/tmp") < 0)
		return NULL;
	if (mkdtemp(dir) && (scratch = open_folder(dir)) >= 0) {
		start_waiting(dir);
		return dir;
	}
	complain("%s: %s", dir, strerror(errno));
	free(dir);
	return NULL;
}

int scratch_folder(void)
{
	return scratch;
}

void scratch_remove(char *dir)
{
	if (!dir)
		return;
	remove_folder(scratch, dir);
	close(scratch);
	scratch = -1;
	free(dir);
	if (own_end >= 0)
		close(own_end);
	while (waiting > 0 && waitpid(waiting, NULL, 0) < 0 && errno == EINTR)
		;
	own_end = -1;
	waiting = 0;
}
