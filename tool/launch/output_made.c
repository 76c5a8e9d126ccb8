/* SPDX-License-Identifier: MIT */
/* output_made.c - makes what a process that runs is to write to.
 *
 * It is handed over, so that the process writes nowhere that this command cannot.  A recording of
 * another user's process is copied in the end: that user may have put anything in its folder, as
 * links to files that only this user can read, and may change it at any time.
 */
#include "launch/output_path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/complain.h"
#include "format/path.h"
#include "format/printable.h"
#include "format/proof.h"
#include "recording/scratch.h"

/* The path of ENTRY, as a pattern. */
static char *as_pattern(const struct wcm_path *entry)
{
	char *pattern = NULL;
	size_t size;
	FILE *out = open_memstream(&pattern, &size);

	for (const char *at = entry->path; out && *at; at++) {
		putc(*at, out);
		if (*at == '%')
			putc('%', out);
	}
	if (out && fclose(out) == 0)
		return pattern;
	complain_of_memory();
	return NULL;
}

static bool make_other(struct output_made *made, const struct wcm_path *entry)
{
	enum { FLAGS = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC };

	snprintf(made->other, sizeof(made->other), ".whocallme-%ld", (long)getpid());
	made->folder = fcntl(entry->folder, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (made->folder >= 0)
		made->file = openat(made->folder, made->other, FLAGS, 0644);
	return made->file >= 0 || output_refuse(entry->path, strerror(errno));
}

bool output_make_file(struct output_made *made, const char *pattern)
{
	char *path = output_expand(pattern, "");
	struct wcm_path entry;
	bool done;

	*made = (struct output_made){ .folder = -1, .file = -1, .handed = -1 };
	done = path && output_find(&entry, path, true);
	free(path);
	if (!done)
		return false;
	made->path = as_pattern(&entry);
	done = made->path && make_other(made, &entry);
	wcm__path_leave(&entry);
	if (done)
		made->handed = memfd_create("graph", MFD_CLOEXEC);
	return done && (made->handed >= 0 || output_refuse(made->path, strerror(errno)));
}

/* Whether FILE ends with END. */
static bool is_whole(int file, const char *end)
{
	char last[16];
	const size_t size = strlen(end);
	struct stat found;

	return fstat(file, &found) == 0 && size <= sizeof(last) && found.st_size > (off_t)size &&
	       pread(file, last, size, found.st_size - (off_t)size) == (ssize_t)size &&
	       memcmp(last, end, size) == 0;
}

bool output_replace(const struct output_made *made, const char *end)
{
	char *path = output_expand(made->path, "");
	const char *name = path ? strrchr(path, '/') + 1 : NULL;
	bool done;

	if (!path)
		return false;
	if (!is_whole(made->file, end))
		done = output_refuse(path, "the process has not written the whole of it");
	else
		done = renameat(made->folder, made->other, made->folder, name) == 0 ||
		       output_refuse(path, strerror(errno));
	free(path);
	return done;
}

/* Make the folder ITSELF anew. */
static bool make_folder(struct output_made *made, const struct wcm_path *itself)
{
	made->is_new = mkdirat(itself->folder, itself->name, 0755) == 0;
	return made->is_new || output_refuse(itself->path, strerror(errno));
}

/* Have the folder that is there, ITSELF or where that leads to, ENTRY, be an empty one, as the
 * library does for a program (record_dir.c). */
static bool clear(struct output_made *made, const struct wcm_path *itself,
		  const struct wcm_path *entry, bool replace)
{
	const struct stat *found = &entry->found;
	const int fd = wcm__path_open(entry, O_RDONLY | O_DIRECTORY, 0);
	const bool is_empty = fd >= 0 && wcm__proof_is_empty(fd);
	struct wcm_obstacle obstacle;

	if (fd < 0)
		return output_refuse(itself->path, strerror(-fd));
	close(fd);
	if (!is_empty) {
		obstacle = wcm__proof_make_room(itself->folder, itself->name, replace);
		return obstacle.why ? output_refuse(itself->path, obstacle.why) :
				      make_folder(made, itself);
	}
	/* A link, a mount point and "." cannot be removed, empty or not. */
	if (found->st_uid == geteuid() && (found->st_mode & (S_IWGRP | S_IWOTH)) &&
	    unlinkat(itself->folder, itself->name, AT_REMOVEDIR) == 0)
		return make_folder(made, itself);
	return true;
}

static int make_marker(int folder)
{
	enum { FLAGS = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC };

	return openat(folder, WCM_MARKER, FLAGS, 0600);
}

/* A process of another user writes, with its rights, to a folder in which it finds nothing else,
 * and around which is what everybody sees. */
static bool set_apart(struct output_made *made, long user)
{
	made->apart = scratch_make(access("/var/tmp", W_OK | X_OK) == 0 ? "/var/tmp" : "/tmp");
	if (!made->apart)
		return false;
	made->handed = make_marker(scratch_folder());
	return (made->handed >= 0 && fchown(scratch_folder(), (uid_t)user, (gid_t)-1) == 0 &&
		fchown(made->handed, (uid_t)user, (gid_t)-1) == 0) ||
	       output_refuse(made->apart, strerror(errno));
}

/* Why the folder is not to be recorded to: who may write to the folder around may have put another
 * one in the place of one that has just been made. */
static const char *judge(const struct output_made *made)
{
	if (made->folder < 0)
		return strerror(errno);
	if (made->is_new && !wcm__proof_is_empty(made->folder))
		return "another folder has taken its place";
	return wcm__proof_is_shared(made->folder);
}

static bool mark(struct output_made *made, const struct wcm_path *entry, long user)
{
	const char *why;

	made->path = as_pattern(entry);
	made->folder = wcm__path_open(entry, O_RDONLY | O_DIRECTORY, 0);
	if (made->folder < 0)
		errno = -made->folder;
	why = judge(made);
	if (why)
		return output_refuse(entry->path, why);
	if (user >= 0 && user != (long)geteuid())
		return made->path && set_apart(made, user);
	made->file = made->handed = make_marker(made->folder);
	return made->path && (made->file >= 0 || output_refuse(entry->path, strerror(errno)));
}

/* PATH has no slash at its end. */
static bool make_recording(struct output_made *made, const char *path, bool replace, long user)
{
	struct wcm_path itself, entry;
	bool done = output_find(&itself, path, false);

	if (!done)
		return false;
	if (!itself.is_there)
		done = make_folder(made, &itself);
	else if ((done = output_find(&entry, path, true))) {
		done = clear(made, &itself, &entry, replace);
		wcm__path_leave(&entry);
	}
	wcm__path_leave(&itself);
	if (!done || !output_find(&entry, path, true))
		return false;
	done = mark(made, &entry, user);
	wcm__path_leave(&entry);
	return done;
}

bool output_make_recording(struct output_made *made, const char *pattern, bool replace, long user)
{
	char *path = output_expand(pattern, "");
	bool done;

	*made = (struct output_made){ .folder = -1, .file = -1, .handed = -1 };
	if (!path)
		return false;
	for (size_t end = strlen(path); end > 1 && path[end - 1] == '/'; end--)
		path[end - 1] = '\0';
	done = make_recording(made, path, replace, user);
	free(path);
	return done;
}

/* Copy the bytes between FROM and END. */
static bool copy_part(int to, int from, off_t at, off_t end)
{
	enum { ROOM = 1 << 16 };
	static char bytes[ROOM];

	while (at < end) {
		const size_t most = end - at < ROOM ? (size_t)(end - at) : ROOM;
		const ssize_t size = pread(from, bytes, most, at);

		if (size == 0)
			return true; /* it has become shorter */
		if (size < 0 || pwrite(to, bytes, (size_t)size, at) != size)
			return false;
		at += size;
	}
	return true;
}

/* Holes stay holes: what is copied is no more than is there. */
static bool copy_parts(int to, int from, off_t size)
{
	off_t at = 0, end;

	while (at < size && (at = lseek(from, at, SEEK_DATA)) >= 0 && at < size) {
		end = lseek(from, at, SEEK_HOLE);
		if (end < 0 || end > size)
			end = size;
		if (!copy_part(to, from, at, end))
			return false;
		at = end;
	}
	return (at >= 0 || errno == ENXIO) && ftruncate(to, size) == 0;
}

/* The file NAME in the folder FROM, if it is USER's, and has no other name: then it may be a file
 * that the user cannot read.  Returns a descriptor, or -1. */
static int open_theirs(int from, const char *name, uid_t user, off_t *size)
{
	enum { FLAGS = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC };
	const int seen = openat(from, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat found;
	char path[64];
	int fd = -1;

	if (seen < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", seen);
	if (fstat(seen, &found) == 0 && S_ISREG(found.st_mode) && found.st_uid == user &&
	    found.st_nlink == 1)
		fd = open(path, FLAGS);
	*size = found.st_size;
	close(seen);
	return fd;
}

static bool is_name(const char *name)
{
	size_t length;

	if (!wcm__proof_is_known(name))
		return false;
	for (; *name; name += length)
		if ((length = wcm__printable_length(name, strlen(name))) == 0)
			return false;
	return true;
}

/* False: the output does not take it.  *IS_THEIRS: there is such a file. */
static bool copy_file(const struct output_made *made, const char *name, uid_t user,
		      bool *is_theirs)
{
	enum { FLAGS = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC };
	off_t size;
	const int from = is_name(name) ? open_theirs(scratch_folder(), name, user, &size) : -1;
	int to;
	bool done;

	*is_theirs = from >= 0;
	if (from < 0)
		return true;
	to = openat(made->folder, name, FLAGS, 0644);
	done = to >= 0 && copy_parts(to, from, size);
	if (to >= 0)
		done = close(to) == 0 && done;
	close(from);
	return done;
}

static bool copy_files(const struct output_made *made, DIR *folder, uid_t user)
{
	const struct dirent *entry;
	unsigned long left = 0;
	bool is_theirs;

	while ((entry = readdir(folder))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (!copy_file(made, entry->d_name, user, &is_theirs))
			return output_refuse(made->path, strerror(errno));
		left += !is_theirs;
	}
	if (left > 0)
		complain("%lu of the files that the process has made are of no recording, or not "
			 "its user's, and are left out", left);
	return left == 0;
}

bool output_take_recording(const struct output_made *made)
{
	struct stat found;
	DIR *folder;
	int fd;
	bool done;

	if (!made->apart)
		return true;
	fd = openat(scratch_folder(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	folder = fd >= 0 ? fdopendir(fd) : NULL;
	if (!folder || fstat(fd, &found) != 0)
		done = output_refuse(made->apart, strerror(errno));
	else
		done = copy_files(made, folder, found.st_uid);
	if (folder)
		closedir(folder);
	else if (fd >= 0)
		close(fd);
	return done;
}

void output_leave_made(struct output_made *made, bool used)
{
	const bool is_file = made->other[0];
	char *path = made->path && !used && made->is_new ? output_expand(made->path, "") : NULL;

	if (made->file >= 0 && !used)
		unlinkat(made->folder, is_file ? made->other : WCM_MARKER, 0);
	if (path)
		rmdir(path);
	if (made->handed >= 0 && made->handed != made->file)
		close(made->handed);
	if (made->file >= 0)
		close(made->file);
	if (made->folder >= 0)
		close(made->folder);
	scratch_remove(made->apart);
	free(path);
	free(made->path);
}
