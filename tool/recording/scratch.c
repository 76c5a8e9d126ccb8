/* SPDX-License-Identifier: MIT */
/* scratch.c - makes a temporary folder that is removed however the command ends.
 *
 * A signal may end the command before it removes anything: its reader has gone away, a terminal is
 * closed, memory is short.  So another process waits for its end, which a pipe tells, and removes
 * what is left.
 */
#include "recording/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/complain.h"

static pid_t waiting;    /* the other process, or 0 */
static int own_end = -1; /* of the pipe */
static int scratch = -1; /* the folder */

/* A folder that is emptied, with the folders in it that are OWNER's.  MOVED of these have come up
 * from within others, so that no tree is too deep. */
struct clearing {
	int fd;
	uid_t owner;
	time_t until;
	unsigned long moved, gone;
};

static bool is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* A folder that is in another one comes up under a name that none is likely to have. */
static bool move_up(struct clearing *clearing, int from, const char *name)
{
	char other[32];

	snprintf(other, sizeof(other), ".whocallme-%lu", clearing->moved++);
	return renameat(from, name, clearing->fd, other) == 0;
}

static void clear_folder(struct clearing *clearing, const char *name);

/* Removes the files in FD, and closes it. */
static void clear(struct clearing *clearing, int fd, bool is_top)
{
	DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *part;

	while (folder && time(NULL) < clearing->until && (part = readdir(folder)))
		if (!is_dots(part->d_name) && unlinkat(fd, part->d_name, 0) == 0)
			clearing->gone++;
		else if (!is_dots(part->d_name) && is_top)
			clear_folder(clearing, part->d_name);
		else if (!is_dots(part->d_name))
			clearing->gone += move_up(clearing, fd, part->d_name);
	if (folder)
		closedir(folder);
	else if (fd >= 0)
		close(fd);
}

static void clear_folder(struct clearing *clearing, const char *name)
{
	enum { FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC };
	const int fd = openat(clearing->fd, name, FLAGS);
	struct stat found;

	if (fd >= 0 && fstat(fd, &found) == 0 && found.st_uid == clearing->owner)
		clear(clearing, fd, false);
	else if (fd >= 0)
		close(fd);
	clearing->gone += unlinkat(clearing->fd, name, AT_REMOVEDIR) == 0;
}

/* DIR may lead elsewhere by now, or be another user's: only what is in FD is removed, and DIR where
 * it is empty.  False: it is still there, and errno says why. */
static bool remove_folder(int fd, const char *dir)
{
	enum { PATIENCE = 10 /* seconds, while somebody goes on filling it */ };
	struct clearing clearing = { .fd = fd, .until = time(NULL) + PATIENCE };
	unsigned long before;
	struct stat found;

	if (fstat(fd, &found) == 0)
		clearing.owner = found.st_uid;
	do {
		before = clearing.gone;
		clear(&clearing, openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), true);
		if (rmdir(dir) == 0)
			return true;
	} while (errno == ENOTEMPTY && clearing.gone > before);
	return false;
}

/* All signals are blocked: what ends the command is not to end this. */
static _Noreturn void wait_and_remove(const char *dir, const int ends[2])
{
	enum { FEW = 1024 };
	char nothing;

	close(ends[1]); /* wherever it is: else the end of the command would not be seen */
	dup2(ends[0], STDIN_FILENO);
	dup2(scratch, STDOUT_FILENO);
	/* Nothing else of the command's is held open: somebody may wait for the end of a pipe. */
	for (int fd = STDERR_FILENO; fd < FEW; fd++)
		close(fd);
	while (read(STDIN_FILENO, &nothing, 1) < 0 && errno == EINTR)
		;
	remove_folder(STDOUT_FILENO, dir);
	_exit(0);
}

/* Where there can be no pipe or process, DIR is left behind if the command is killed. */
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
		wait_and_remove(dir, ends);
	sigprocmask(SIG_SETMASK, &before, NULL);
	/* Where standard output is closed, the pipe may have its number. */
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
	if (mkdtemp(dir)) {
		scratch = open_folder(dir);
		if (scratch >= 0) {
			start_waiting(dir);
			return dir;
		}
		complain("%s: %s", dir, strerror(errno));
		rmdir(dir);
	} else {
		complain("%s: %s", dir, strerror(errno));
	}
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
	if (!remove_folder(scratch, dir))
		complain("%s: it is left, since it cannot be removed: %s", dir, strerror(errno));
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
