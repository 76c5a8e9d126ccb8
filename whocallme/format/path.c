/* SPDX-License-Identifier: MIT */
/* path.c (SAFE) - follows a path part by part, past what other users may have put in its way.
 *
 * Each part is opened from the descriptor of the one before: what was checked is what
 * is entered.
 */
#include "format/path.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "core/os/file.h"
#include "core/os/process.h"

/* In a user namespace without a name for them, all users are NOBODY, who owns all files. */
enum { MOST_LINKS = 40 /* the kernel's own */, NOBODY = 65534 };

bool wcm__path_is_trusted(unsigned uid)
{
	return uid == 0 || uid == wcm__geteuid();
}

static void close_it(int fd)
{
	if (fd >= 0)
		wcm__close(fd);
}

/* A link cannot be written to, only renamed. */
static int check_guard(const struct wcm_path *entry, const struct stat *part)
{
	const unsigned mode = part->st_mode;

	if (!entry->guarded)
		return 0;
	if (part->st_uid != 0 && part->st_uid != entry->user)
		return -WCM_PATH_OF_ANOTHER;
	if ((mode & (S_IWGRP | S_IWOTH)) && !S_ISLNK(mode) &&
	    !(S_ISDIR(mode) && (mode & S_ISVTX)))
		return -WCM_PATH_WRITABLE;
	return 0;
}

/* See what FD is, and whether it may lead on. */
static int see(const struct wcm_path *entry, int fd, struct stat *part)
{
	const int error = wcm__fstat(fd, part);

	return error < 0 ? error : check_guard(entry, part);
}

/* Have the folder FD be where the walk is. */
static int enter(struct wcm_path *entry, int fd)
{
	if (fd < 0)
		return fd;
	close_it(entry->folder);
	entry->folder = fd;
	return see(entry, fd, &entry->around);
}

static int look(int folder, const char *name, int flags)
{
	return wcm__openat(folder, name, O_PATH | O_CLOEXEC | flags, 0);
}

static int enter_root(struct wcm_path *entry, size_t *used)
{
	*used = 0;
	entry->path[0] = '\0';
	return enter(entry, look(AT_FDCWD, "/", O_DIRECTORY));
}

static int enter_present(struct wcm_path *entry, size_t *used)
{
	*used = 0;
	entry->path[0] = '\0';
	return enter(entry, look(AT_FDCWD, ".", O_DIRECTORY));
}

static int enter_parent(struct wcm_path *entry, size_t *used)
{
	while (*used > 0 && entry->path[--*used] != '/')
		;
	entry->path[*used] = '\0';
	return enter(entry, look(entry->folder, "..", O_DIRECTORY));
}

/* Take the next part off the rest, to stand behind the USED bytes of the path.  Returns
 * its length, 0 where there is none, or -ENAMETOOLONG. */
static int take_part(struct wcm_path *entry, const char **rest, size_t used)
{
	size_t size = 0;

	while (**rest == '/')
		++*rest;
	while ((*rest)[size] && (*rest)[size] != '/')
		size++;
	if (used + size + 2 > sizeof(entry->path))
		return -ENAMETOOLONG;
	entry->path[used] = '/';
	memcpy(entry->path + used + 1, *rest, size);
	entry->path[used + 1 + size] = '\0';
	entry->name = entry->path + used + 1;
	*rest += size;
	while (**rest == '/')
		++*rest;
	return (int)size;
}

static bool may_follow(const struct wcm_path *entry)
{
	const struct stat *around = &entry->around;

	return wcm__path_is_trusted(entry->found.st_uid) &&
	       wcm__path_is_trusted(around->st_uid) &&
	       (!(around->st_mode & S_IWOTH) || around->st_mode & S_ISVTX);
}

/* Whether what was found is one of the kernel's own links to what is open, whose text is
 * of no use. */
static bool is_magic(const struct wcm_path *entry)
{
	struct stat kernels;

	return wcm__fstatat(AT_FDCWD, "/proc/self", &kernels, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISLNK(kernels.st_mode) && kernels.st_dev == entry->found.st_dev;
}

/* Put what the link FD says before the rest. */
static int follow_link(struct wcm_path *entry, int fd, const char **rest)
{
	const size_t at = (size_t)(*rest - entry->rest);
	long size;

	if (!may_follow(entry))
		return -EXDEV;
	if (++entry->links > MOST_LINKS)
		return -ELOOP;
	size = wcm__readlinkat(fd, "", entry->rest, at);
	if (size <= 0)
		return size < 0 ? (int)size : -ENOENT;
	if ((size_t)size + 1 >= at)
		return -ENAMETOOLONG;
	entry->rest[at - 1] = '/';
	*rest = memmove(entry->rest + at - 1 - size, entry->rest, (size_t)size);
	return 0;
}

static bool is_word(const char *name, const char *word)
{
	return strlen(name) == strlen(word) && memcmp(name, word, strlen(word)) == 0;
}

/* The part has been looked at, as FD.  Returns 1 where it is the last. */
static int go_on(struct wcm_path *entry, int fd, const char **rest, size_t *used,
		 bool follow)
{
	const bool is_last = !**rest;
	int error = see(entry, fd, &entry->found);

	if (error == 0 && S_ISLNK(entry->found.st_mode) && (follow || !is_last)) {
		entry->magic = is_last && is_magic(entry);
		error = follow_link(entry, fd, rest);
		close_it(fd);
		if (error < 0 || entry->magic)
			return error < 0 ? error : 1;
		entry->path[*used] = '\0';
		return **rest == '/' ? enter_root(entry, used) : 0;
	}
	if (error < 0 || is_last || !S_ISDIR(entry->found.st_mode)) {
		close_it(fd);
		return error < 0 ? error : is_last ? 1 : -ENOTDIR;
	}
	*used += strlen(entry->path + *used);
	return enter(entry, fd);
}

/* One part.  Returns 1 where it is the last. */
static int walk_part(struct wcm_path *entry, const char **rest, size_t *used,
		     bool follow)
{
	const int size = take_part(entry, rest, *used);
	int fd;

	if (size < 0)
		return size;
	if (size > 0 && is_word(entry->name, ".."))
		return enter_parent(entry, used);
	if (size > 0 && is_word(entry->name, ".") && **rest)
		return 0;
	if (size == 0 || is_word(entry->name, ".")) {
		memcpy((char *)entry->name, ".", sizeof("."));
		entry->found = entry->around;
		return 1;
	}
	fd = look(entry->folder, entry->name, O_NOFOLLOW);
	entry->is_there = fd >= 0 || **rest;
	if (fd == -ENOENT && !**rest)
		return 1;
	return fd < 0 ? fd : go_on(entry, fd, rest, used, follow);
}

static int find(struct wcm_path *entry, const char *path, bool follow)
{
	const size_t size = strlen(path) + 1;
	const char *rest = entry->rest + sizeof(entry->rest) - size;
	size_t used;
	int result;

	entry->folder = -1;
	entry->is_there = true;
	entry->magic = false;
	entry->links = 0;
	if (size > WCM_PATH_ROOM)
		return -ENAMETOOLONG;
	memcpy((char *)rest, path, size);
	result = path[0] == '/' ? enter_root(entry, &used) : enter_present(entry, &used);
	while (result == 0)
		result = walk_part(entry, &rest, &used, follow);
	if (result < 0)
		wcm__path_leave(entry);
	return result < 0 ? result : 0;
}

int wcm__path_find(struct wcm_path *entry, const char *path, bool follow)
{
	entry->guarded = false;
	return find(entry, path, follow);
}

int wcm__path_open_guarded(struct wcm_path *entry, const char *path, unsigned user,
			   int flags)
{
	int result;

	entry->guarded = true;
	entry->user = user;
	result = find(entry, path, true);
	if (result < 0)
		return result;
	if (!entry->is_there)
		result = -ENOENT;
	else if (!S_ISREG(entry->found.st_mode))
		result = -EACCES;
	else
		result = wcm__path_open(entry, flags, 0);
	wcm__path_leave(entry);
	return result;
}

void wcm__path_leave(struct wcm_path *entry)
{
	close_it(entry->folder);
	entry->folder = -1;
}

/* What is wrong with FOUND, a file or pipe in ENTRY's folder. */
static const char *trap_in(const struct wcm_path *entry, const struct stat *found)
{
	const unsigned shared = S_ISVTX | S_IWGRP | S_IWOTH;

	if (S_ISREG(found->st_mode) && found->st_nlink > 1 &&
	    (entry->around.st_mode & shared ||
	     !wcm__path_is_trusted(entry->around.st_uid)))
		return "it has other names, and may be another file";
	if ((S_ISREG(found->st_mode) || S_ISFIFO(found->st_mode)) &&
	    !wcm__path_is_trusted(found->st_uid))
		return "it is another user's";
	return NULL;
}

const char *wcm__path_trap(const struct wcm_path *entry)
{
	if (entry->links && !wcm__path_is_trusted(entry->around.st_uid))
		return "a link leads there, into another user's folder";
	return entry->is_there ? trap_in(entry, &entry->found) : NULL;
}

const char *wcm__path_trap_opened(const struct wcm_path *entry, int fd)
{
	struct stat found;
	const char *trap;

	if (entry->magic || wcm__fstat(fd, &found) < 0)
		return NULL;
	trap = trap_in(entry, &found);
	if (!trap && S_ISREG(found.st_mode) && found.st_mode & (S_IWGRP | S_IWOTH))
		trap = "others may write to it";
	return trap;
}

int wcm__path_open(const struct wcm_path *entry, int flags, unsigned mode)
{
	flags |= O_CLOEXEC | O_NOCTTY | (entry->magic ? 0 : O_NOFOLLOW);
	return wcm__openat_again(entry->folder, entry->name, flags, mode);
}

int wcm__path_check_own(int fd)
{
	const unsigned own = wcm__geteuid();
	struct stat status;
	const int error = wcm__fstat(fd, &status);

	if (error < 0)
		return error;
	if (!S_ISREG(status.st_mode) || status.st_uid != own ||
	    (own == NOBODY && status.st_mode & (S_IWGRP | S_IWOTH)))
		return -EINVAL;
	return status.st_nlink > 1 ? -EMLINK : 0;
}
