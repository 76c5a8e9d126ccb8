/* SPDX-License-Identifier: MIT */
/* proof.c (SAFE) - checks that a folder is a recording that may be put aside.
 *
 * NAME is opened, judged, closed, and renamed by name.  NAME itself may be a link, if
 * this user or root made it.  NAME.old is judged and emptied by one descriptor, and is
 * never followed as a link; nor is any link inside either folder.
 */
#include "format/proof.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/os/file.h"
#include "core/os/process.h"
#include "format/path.h"

enum { PIECE = 4096, MARKER_ROOM = 96 };

static const char usual[] = "uftrace.data", magic[] = "Ftrace!";

static int open_in(int folder, const char *name, int flags)
{
	flags |= O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
	return wcm__openat(folder, name, flags, 0);
}

static bool is(const char *name, const char *word)
{
	return strlen(name) == strlen(word) && memcmp(name, word, strlen(word)) == 0;
}

/* Call VISIT with each name in FD until it returns false, which is returned then, as
 * where FD cannot be read. */
static bool for_each(int fd, bool (*visit)(int fd, const char *name))
{
	char bytes[PIECE] __attribute__((aligned(sizeof(uint64_t))));
	long size, at;

	wcm__lseek(fd, 0, SEEK_SET);
	while ((size = wcm__getdents(fd, bytes, sizeof(bytes))) > 0)
		for (at = 0; at < size;) {
			const struct wcm_directory_entry *entry = (const void *)(bytes + at);

			at += entry->size;
			if (!is(entry->name, ".") && !is(entry->name, "..") &&
			    !visit(fd, entry->name))
				return false;
		}
	return size == 0;
}

static bool is_digit(char byte, bool hex)
{
	return (byte >= '0' && byte <= '9') || (hex && byte >= 'a' && byte <= 'f');
}

/* Whether NAME is BEFORE, MOST digits at most, and AFTER. */
static bool is_number(const char *name, const char *before, const char *after, bool hex,
		      size_t most)
{
	const size_t start = strlen(before);
	size_t end = start;

	if (strlen(name) < start || memcmp(name, before, start) != 0)
		return false;
	while (is_digit(name[end], hex))
		end++;
	return end > start && end - start <= most && is(name + end, after);
}

/* The names that we give. */
bool wcm__proof_is_known(const char *name)
{
	const size_t size = strlen(name);

	return is(name, "info") || is(name, "task.txt") || is(name, WCM_MARKER) ||
	       is_number(name, "", ".dat", false, 10) ||
	       is_number(name, "sid-", ".map", true, WCM_MARKER_ID) ||
	       (size > 4 && (is(name + size - 4, ".sym") || is(name + size - 4, ".dbg")));
}

/* Whether NAME is a file that a recording of this user has. */
static bool belongs(int fd, const char *name)
{
	struct stat status;

	return wcm__proof_is_known(name) &&
	       wcm__fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISREG(status.st_mode) && status.st_uid == wcm__geteuid();
}

static bool never(int fd, const char *name)
{
	(void)fd, (void)name;
	return false;
}

bool wcm__proof_is_empty(int fd)
{
	return for_each(fd, never);
}

const char *wcm__proof_is_shared(int fd)
{
	struct stat status;

	if (wcm__fstat(fd, &status) < 0 || status.st_uid != wcm__geteuid())
		return "it is another user's";
	return status.st_mode & (S_IWGRP | S_IWOTH) ? "others may write to it" : NULL;
}

/* The first bytes of file NAME in FD, with a zero byte behind; their number. */
static size_t read_file(int fd, const char *name, char *text, size_t room)
{
	const int file = open_in(fd, name, 0);
	long size = 0;

	if (file >= 0 && wcm__path_check_own(file) == 0)
		size = wcm__pread(file, text, room - 1, 0);
	if (file >= 0)
		wcm__close(file);
	text[size > 0 ? size : 0] = '\0';
	return size > 0 ? (size_t)size : 0;
}

/* The number at *TEXT, which ends in END. */
static bool take_number(const char **text, char end, unsigned long long *number)
{
	const char *at = *text;

	for (*number = 0; is_digit(*at, false) && *number < ULLONG_MAX / 10 - 1; at++)
		*number = 10 * *number + (unsigned)(*at - '0');
	if (at == *text || *at != end)
		return false;
	*text = at + 1;
	return true;
}

bool wcm__proof_marker(int fd, struct wcm_marker *marker)
{
	char text[MARKER_ROOM];
	const char *rest = text + WCM_MARKER_ID + 1;
	unsigned long long pid = 0;
	size_t digits = 0;

	if (read_file(fd, WCM_MARKER, text, sizeof(text)) <= WCM_MARKER_ID)
		return false;
	while (is_digit(text[digits], true))
		digits++;
	marker->namespace = 0;
	if (digits != WCM_MARKER_ID || text[WCM_MARKER_ID] != ' ' ||
	    !take_number(&rest, ' ', &pid) || pid > INT_MAX ||
	    (!take_number(&rest, '\n', &marker->start) &&
	     (!take_number(&rest, ' ', &marker->start) ||
	      !take_number(&rest, '\n', &marker->namespace))) ||
	    *rest)
		return false;
	memcpy(marker->id, text, WCM_MARKER_ID);
	marker->id[WCM_MARKER_ID] = '\0';
	marker->pid = (long)pid;
	return true;
}

/* What the folder FD lacks of a recording. */
static const char *lacks(int fd)
{
	const char *why = wcm__proof_is_shared(fd);
	char head[sizeof(magic)];
	struct wcm_marker marker;
	bool has_info;

	if (why)
		return why;
	has_info = read_file(fd, "info", head, sizeof(head)) > 0;
	if (has_info && !is(head, magic))
		return "it is there, and no recording: name another";
	if (!wcm__proof_marker(fd, &marker))
		return has_info ? "it is there, and a recording of another program's, such "
				  "as uftrace: name another" :
				  "it is there, and no recording: name another";
	return for_each(fd, belongs) ? NULL :
				       "it is there, and holds more than a recording: "
				       "name another";
}

/* The marker goes last: without it the rest would be no recording. */
static bool remove_file(int fd, const char *name)
{
	return is(name, WCM_MARKER) ||
	       (belongs(fd, name) && wcm__unlinkat(fd, name, 0) == 0);
}

static bool is_marker(int fd, const char *name)
{
	(void)fd;
	return is(name, WCM_MARKER);
}

/* A folder that changes while it is read may have to be read again. */
static const char *remove_all(int folder, const char *old, int fd)
{
	while (!for_each(fd, is_marker))
		if (!for_each(fd, remove_file))
			return "a file in it cannot be removed";
	wcm__unlinkat(fd, WCM_MARKER, 0);
	return wcm__unlinkat(folder, old, AT_REMOVEDIR) < 0 ? "it cannot be removed" : NULL;
}

/* Check that OLD in FOLDER is absent, empty or a recording; REMOVE deletes it.  Returns
 * NULL, or why it is none of these or cannot be removed. */
static const char *judge_old(int folder, const char *old, bool remove)
{
	const int fd = open_in(folder, old, O_DIRECTORY);
	const char *why;

	if (fd == -ENOENT)
		return NULL;
	if (fd < 0)
		return "it is where the recording that is there would go";
	why = wcm__proof_is_empty(fd) ? NULL : lacks(fd);
	if (why)
		why = "it is where the recording that is there would go, and not proven "
		      "to be one";
	else if (remove)
		why = remove_all(folder, old, fd);
	wcm__close(fd);
	return why;
}

/* A link to a recording is put aside as it is, if it is this user's. */
static int open_recording(int folder, const char *name)
{
	const int fd = open_in(folder, name, O_DIRECTORY);
	struct stat status;

	if (fd >= 0 ||
	    wcm__fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
	    !S_ISLNK(status.st_mode) || !wcm__path_is_trusted(status.st_uid))
		return fd;
	return wcm__openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
}

static const char *judge(int folder, const char *name, bool force)
{
	const int fd = open_recording(folder, name);
	const char *why;

	if (fd < 0)
		return "it is there, and cannot be read: name another";
	why = lacks(fd);
	wcm__close(fd);
	if (!why && (is(name, ".") || is(name, "..")))
		return "a recording is there, which cannot be renamed by this name";
	if (!why && !force && !is(name, usual))
		return "a recording is there: name another; --force, or "
		       "WHOCALLME_TRACE_REPLACE=yes, keeps it as .old";
	return why;
}

/* OLD is NAME.old. */
static const char *put_aside(int folder, const char *name, const char *old)
{
	int error = wcm__rename_new_in(folder, name, old);

	/* Some file systems lack RENAME_NOREPLACE.  Plain renameat(2) of a folder replaces at
	 * most an empty folder; of a link, also a file that has appeared at OLD meanwhile. */
	if (error == -EINVAL || error == -ENOSYS)
		error = wcm__rename_in(folder, name, old);
	return error < 0 ? "the recording that is there cannot be renamed" : NULL;
}

static struct wcm_obstacle room(int folder, const char *name, bool force, bool make)
{
	char old[NAME_MAX + 1];
	const size_t size = strlen(name);
	struct wcm_obstacle found = { judge(folder, name, force), false };

	if (found.why)
		return found;
	if (size + sizeof(".old") > sizeof(old))
		return (struct wcm_obstacle){ "its name is too long to be kept as .old",
					      false };
	memcpy(old, name, size);
	memcpy(old + size, ".old", sizeof(".old"));
	found.why = judge_old(folder, old, make);
	found.is_old = found.why != NULL;
	if (!found.why && make)
		found.why = put_aside(folder, name, old);
	return found;
}

struct wcm_obstacle wcm__proof_of_room(int folder, const char *name, bool force)
{
	return room(folder, name, force, false);
}

struct wcm_obstacle wcm__proof_make_room(int folder, const char *name, bool force)
{
	return room(folder, name, force, true);
}
