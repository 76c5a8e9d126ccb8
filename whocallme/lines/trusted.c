/* SPDX-License-Identifier: MIT */
/* trusted.c - files that no other user can have put where they are.
 *
 * A path is walked from the root on, a name at a time, each opened by the descriptor of
 * its directory and looked at before the next one: what was looked at is what is used,
 * and nobody who could exchange it is left.
 */
#include "lines/trusted.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "syscall.h"

enum { MOST_LINKS = 40, LONGEST_NAME = 255 };

long wcm__file_status(long fd, const char *name, struct wcm_file_status *status)
{
	enum { BASIC = 0x7ff }; /* STATX_BASIC_STATS */

	memset(status, 0, sizeof(*status));
	return wcm__syscall(SYS_statx, fd, (long)name, AT_EMPTY_PATH, BASIC,
			    (long)status, 0);
}

struct wcm_file_id wcm__file_id(const struct wcm_file_status *status)
{
	return (struct wcm_file_id){
		.device = (uint64_t)status->device_major << 32 |
			  status->device_minor,
		.inode = status->inode,
		.owner = status->owner,
	};
}

bool wcm__file_is(const struct wcm_file_id *file, const struct wcm_file_id *other)
{
	return file->device == other->device && file->inode == other->inode &&
	       file->owner == other->owner;
}

struct walk {
	uint32_t user;
	char *room, *rest;             /* what of the path is left, at the room's end */
	long directory;                /* where that begins; negative: none is open */
	struct wcm_file_status status; /* of what was opened last */
};

static long close_with(long result, long fd)
{
	if (fd >= 0)
		wcm__syscall(SYS_close, fd, 0, 0, 0, 0, 0);
	return result;
}

/* A link cannot be written, only exchanged. */
static long check(const struct walk *walk)
{
	const unsigned mode = walk->status.mode;

	if (walk->status.owner != 0 && walk->status.owner != walk->user)
		return -WCM_REFUSED_OWNER;
	if ((mode & (S_IWGRP | S_IWOTH)) && !S_ISLNK(mode) &&
	    !(S_ISDIR(mode) && (mode & S_ISVTX)))
		return -WCM_REFUSED_WRITABLE;
	return 0;
}

/* Open NAME in DIRECTORY, if it is to be trusted. */
static long open_name(struct walk *walk, long directory, const char *name)
{
	long fd = wcm__syscall(SYS_openat, directory, (long)name,
			       O_PATH | O_NOFOLLOW | O_CLOEXEC, 0, 0, 0);
	long error = fd < 0 ? fd : wcm__file_status(fd, "", &walk->status);

	if (error == 0)
		error = check(walk);
	return error < 0 ? close_with(error, fd) : fd;
}

/* Go on in what was opened last. */
static long enter(struct walk *walk, long fd)
{
	if (fd < 0)
		return fd;
	if (!S_ISDIR(walk->status.mode))
		return close_with(-ENOTDIR, fd);
	close_with(0, walk->directory);
	walk->directory = fd;
	while (*walk->rest == '/')
		walk->rest++;
	return 0;
}

/* Put what the link FD says in front of what is left. */
static long follow(struct walk *walk, long fd)
{
	const long most = walk->rest - walk->room;
	long size = wcm__syscall(SYS_readlinkat, fd, (long)"", (long)walk->room, most,
				 0, 0);

	close_with(0, fd);
	if (size < 0)
		return size;
	if (size == most)
		return -ENAMETOOLONG;
	walk->rest = memmove(walk->rest - size, walk->room, (size_t)size);
	return 0;
}

/* Open the next name that is left. */
static long open_next(struct walk *walk)
{
	char name[LONGEST_NAME + 1];
	size_t length = 0;

	while (walk->rest[length] && walk->rest[length] != '/')
		length++;
	if (length > LONGEST_NAME)
		return -ENAMETOOLONG;
	memcpy(name, walk->rest, length);
	name[length] = '\0';
	walk->rest += length;
	return length > 0 ? open_name(walk, walk->directory, name) : -EACCES;
}

/* The file at the end, or a negative number. */
static long walk_on(struct walk *walk)
{
	long fd, error = 0;

	for (int links = 0; links <= MOST_LINKS; links++) {
		if (*walk->rest == '/')
			error = enter(walk, open_name(walk, AT_FDCWD, "/"));
		while (error == 0) {
			fd = open_next(walk);
			if (fd >= 0 && S_ISLNK(walk->status.mode))
				break;
			if (fd >= 0 && !*walk->rest)
				return S_ISREG(walk->status.mode) ?
					       fd :
					       close_with(-EACCES, fd);
			error = enter(walk, fd);
		}
		if (error == 0)
			error = follow(walk, fd);
		if (error < 0)
			return error;
	}
	return -ELOOP;
}

long wcm__trusted_open(const char *path, uint32_t user, char room[WCM_TRUSTED_ROOM],
		       struct wcm_file_status *status)
{
	const size_t size = strlen(path) + 1;
	struct walk walk = { .user = user, .room = room, .directory = -1 };
	long fd;

	if (path[0] != '/' || size > WCM_TRUSTED_ROOM)
		return -ENOENT;
	walk.rest = memcpy(room + WCM_TRUSTED_ROOM - size, path, size);
	fd = walk_on(&walk);
	*status = walk.status;
	return close_with(fd, walk.directory);
}
