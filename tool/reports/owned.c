/* SPDX-License-Identifier: MIT */
/* owned.c - opening a file that is named by somebody else.
 *
 * The names of sources are what debug data says, which anybody may have written, and lie
 * in directories of anybody: a link there would show one user's files in the report of
 * another.  The path is walked from the root directory on, each name opened by the
 * descriptor of its directory and looked at before the next one.
 */
#include "reports/owned.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LINKS = 40 };

struct walk {
	char path[PATH_MAX];
	const char *rest; /* of PATH */
	int directory;    /* where the rest begins */
};

static bool is_ours(const struct stat *status)
{
	return status->st_uid == 0 || status->st_uid == getuid();
}

/* Whether nobody but root can have put here what STATUS is of. */
static bool is_of_root(const struct stat *status)
{
	const mode_t mode = status->st_mode;

	return status->st_uid == 0 &&
	       (!(mode & (S_IWGRP | S_IWOTH)) || S_ISLNK(mode) ||
		(S_ISDIR(mode) && (mode & S_ISVTX)));
}

static bool may_pass(const struct stat *status)
{
	if (getuid() == 0)
		return is_of_root(status);
	return !S_ISLNK(status->st_mode) || is_ours(status);
}

/* Open NAME in DIRECTORY to look at it.  Returns a descriptor, or -1. */
static int look_at(int directory, const char *name, struct stat *status)
{
	int fd = openat(directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0 && (fstat(fd, status) != 0 || !may_pass(status))) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool enter(struct walk *walk, int fd)
{
	if (fd < 0)
		return false;
	if (walk->directory >= 0)
		close(walk->directory);
	walk->directory = fd;
	walk->rest += strspn(walk->rest, "/");
	return true;
}

/* Put what the link FD says in front of what is left. */
static bool follow(struct walk *walk, int fd)
{
	char path[PATH_MAX];
	ssize_t size = readlinkat(fd, "", path, sizeof(path));

	if (size <= 0 || (size_t)size + strlen(walk->rest) >= sizeof(path))
		return false;
	strcpy(path + size, walk->rest);
	walk->rest = strcpy(walk->path, path);
	return true;
}

/* Open the regular file NAME in DIRECTORY, which has been looked at: STATUS. */
static int open_to_read(int directory, const char *name, const struct stat *status)
{
	/* A pipe that has taken its place would wait for its writer. */
	int fd = openat(directory, name,
			O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat now;

	if (fd >= 0 && (fstat(fd, &now) != 0 || now.st_dev != status->st_dev ||
			now.st_ino != status->st_ino)) {
		close(fd);
		return -1;
	}
	return fd;
}

enum step { STEP_ON, STEP_LINK, STEP_END };

/* Take the next name of what is left.  At the end *FILE is its descriptor, or -1. */
static enum step step(struct walk *walk, int *file)
{
	char name[NAME_MAX + 1];
	const size_t length = strcspn(walk->rest, "/");
	struct stat status;
	bool is_link;
	int fd;

	*file = -1;
	if (length == 0 || length >= sizeof(name))
		return STEP_END;
	memcpy(name, walk->rest, length);
	name[length] = '\0';
	walk->rest += length;
	fd = look_at(walk->directory, name, &status);
	if (fd < 0)
		return STEP_END;
	if (S_ISDIR(status.st_mode) && enter(walk, fd))
		return STEP_ON;
	if (S_ISREG(status.st_mode) && !*walk->rest)
		*file = open_to_read(walk->directory, name, &status);
	is_link = S_ISLNK(status.st_mode) && follow(walk, fd);
	close(fd);
	return is_link ? STEP_LINK : STEP_END;
}

/* What is left begins in the root directory where it is absolute. */
static int walk_on(struct walk *walk)
{
	struct stat status;
	enum step taken = STEP_LINK;
	int fd = -1;

	for (int links = 0; links <= MOST_LINKS && taken == STEP_LINK; links++) {
		if (*walk->rest == '/' &&
		    !enter(walk, look_at(AT_FDCWD, "/", &status)))
			return -1;
		do
			taken = step(walk, &fd);
		while (taken == STEP_ON);
	}
	return fd;
}

int owned_open(const char *name)
{
	struct walk walk = { .rest = walk.path, .directory = -1 };
	size_t used = 0;
	int fd;

	/* What a program may read as another user than its own is not for that one. */
	if (getuid() != geteuid() || getgid() != getegid())
		return -1;
	if (name[0] != '/') {
		if (!getcwd(walk.path, sizeof(walk.path)) || walk.path[0] != '/')
			return -1;
		used = strlen(walk.path);
		walk.path[used++] = '/';
	}
	if (used + strlen(name) >= sizeof(walk.path))
		return -1;
	strcpy(walk.path + used, name);
	fd = walk_on(&walk);
	if (walk.directory >= 0)
		close(walk.directory);
	return fd;
}
