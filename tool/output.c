/* SPDX-License-Identifier: MIT */
/* output.c - can what a program is to write be written?
 *
 * A folder that everybody may write to can hold links that others have made, to have
 * files of ours emptied: those are not followed, as the kernel has it where its
 * protected_symlinks and protected_hardlinks are on.
 */
#include "output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complain.h"

/* The program, and the time. */
static const char of_reports[] = "et";

/* What PATTERN, an absolute name, is for this process; the caller's to free.  NULL: only
 * the program will know, for a letter of LATER is in it. */
static char *expand(const char *pattern, const char *later)
{
	char *path = NULL;
	size_t size;
	FILE *out = open_memstream(&path, &size);
	bool is_known = out != NULL;

	for (; is_known && *pattern; pattern++) {
		const char sign = *pattern == '%' ? pattern[1] : '\0';

		if (sign == 'p')
			fprintf(out, "%ld", (long)getpid());
		else
			putc(*pattern, out);
		is_known = !sign || !strchr(later, sign);
		pattern += sign == 'p' || sign == '%';
	}
	if (out && fclose(out) == 0 && is_known)
		return path;
	free(path);
	return NULL;
}

static bool refuse(const char *path, const char *why)
{
	complain("%s: %s", path, why);
	return false;
}

/* The folder that PATH is in; the caller's to free. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash || slash == path)
		return strdup(slash ? "/" : ".");
	return strndup(path, (size_t)(slash - path));
}

/* Whether another user may have put a link in FOLDER, for one of ours to be written to. */
static bool is_trap(const char *path, const struct stat *found)
{
	char *folder = folder_of(path);
	struct stat around;
	bool is_sticky;

	is_sticky = folder && stat(folder, &around) == 0 && around.st_mode & S_ISVTX;
	free(folder);
	if (!is_sticky)
		return false;
	return S_ISLNK(found->st_mode) ? found->st_uid != geteuid() &&
					 found->st_uid != around.st_uid :
					 S_ISREG(found->st_mode) && found->st_nlink > 1;
}

/* Whether the program's own output goes there: that is not to be lost. */
static bool is_standard(const struct stat *file)
{
	struct stat standard;

	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (fstat(fd, &standard) == 0 && standard.st_dev == file->st_dev &&
		    standard.st_ino == file->st_ino)
			return true;
	return false;
}

static bool begin_regular(const char *path, int flags, bool appends,
			  char since[static OUTPUT_SINCE])
{
	struct stat file;
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK |
			    flags, 0666);
	bool done;

	if (fd < 0)
		return refuse(path, strerror(errno));
	done = fstat(fd, &file) == 0;
	if (done && !appends && S_ISREG(file.st_mode) && !is_standard(&file)) {
		/* The time is set even where there was nothing to cut off. */
		done = ftruncate(fd, 0) == 0 && futimens(fd, NULL) == 0 &&
		       fstat(fd, &file) == 0;
		snprintf(since, OUTPUT_SINCE, "%lld%09ld", (long long)file.st_mtim.tv_sec,
			 file.st_mtim.tv_nsec);
	}
	if (!done)
		refuse(path, strerror(errno));
	close(fd);
	return done;
}

static bool begin(const char *path, bool appends, char since[static OUTPUT_SINCE])
{
	struct stat itself, file;
	const bool is_there = lstat(path, &itself) == 0;
	const bool is_link = is_there && S_ISLNK(itself.st_mode);

	if (is_there && is_trap(path, &itself))
		return refuse(path, is_link ? "it is another user's link" :
					      "it has other names, and may be another file");
	if (is_there && stat(path, &file) == 0 && !S_ISREG(file.st_mode)) {
		/* A pipe waits for who reads it, and a device has no beginning. */
		if (S_ISDIR(file.st_mode))
			return refuse(path, strerror(EISDIR));
		return access(path, W_OK) == 0 || refuse(path, strerror(errno));
	}
	return begin_regular(path, is_link ? 0 : O_NOFOLLOW, appends, since);
}

bool output_begin(const char *pattern, bool appends, char since[static OUTPUT_SINCE])
{
	char *path = expand(pattern, "");
	bool done = !path || begin(path, appends, since);

	free(path);
	return done;
}

static bool takes_files(const char *folder)
{
	struct stat found;

	if (stat(folder, &found) == 0 && !S_ISDIR(found.st_mode)) {
		errno = ENOTDIR;
		return false;
	}
	return access(folder, W_OK | X_OK) == 0;
}

static bool folder_takes_files(const char *path)
{
	char *folder = folder_of(path);
	const bool does = folder && takes_files(folder);

	free(folder);
	return does || refuse(path, strerror(errno));
}

bool output_can_be_made(const char *pattern)
{
	char *path = expand(pattern, of_reports), *folder;
	struct stat found;
	bool can = true;

	if (!path) {
		/* Its folder may be known all the same. */
		folder = folder_of(pattern);
		path = folder ? expand(folder, of_reports) : NULL;
		can = !path || takes_files(path) || refuse(path, strerror(errno));
		free(folder);
	} else if (stat(path, &found) == 0 && S_ISDIR(found.st_mode)) {
		can = refuse(path, strerror(EISDIR));
	} else {
		can = folder_takes_files(path);
	}
	free(path);
	return can;
}

/* Whether a report may go to FOUND at PATH, as crash/append.c has it. */
static bool takes_report(const char *path, const struct stat *found, bool appends)
{
	if (S_ISDIR(found->st_mode))
		return refuse(path, strerror(EISDIR));
	if (!appends)
		return refuse(path, "it is there already, and a report goes to a new file; "
				    "--append adds to it, and %p in a name is the process");
	if (S_ISLNK(found->st_mode))
		return refuse(path, "it is a symbolic link, which is not followed");
	if (!S_ISREG(found->st_mode) || found->st_uid != geteuid())
		return refuse(path, "it is no regular file of this user's own");
	if (found->st_nlink > 1)
		return refuse(path, "it has other names, and may be another file");
	return access(path, R_OK | W_OK) == 0 || refuse(path, strerror(errno));
}

bool output_can_report(const char *pattern, bool appends)
{
	char *path = expand(pattern, of_reports);
	struct stat found;
	bool can;

	if (path && lstat(path, &found) == 0)
		can = takes_report(path, &found, appends);
	else
		can = output_can_be_made(pattern);
	free(path);
	return can;
}

static bool is_empty(const char *path)
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	bool empty = directory != NULL;

	while (empty && (entry = readdir(directory)))
		empty = strcmp(entry->d_name, ".") == 0 ||
			strcmp(entry->d_name, "..") == 0;
	if (directory)
		closedir(directory);
	return empty;
}

static bool is_recording(const char *path)
{
	char *info;
	bool is;

	if (asprintf(&info, "%s/info", path) < 0)
		return false;
	is = access(info, F_OK) == 0;
	free(info);
	return is;
}

/* Whether the recording at PATH can make room for another, as PATH.old. */
static bool can_make_room(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	struct stat found;
	char *old;
	bool can;

	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return refuse(path, "a recording is there, which cannot be renamed by "
				    "this name");
	if (!folder_takes_files(path) || asprintf(&old, "%s.old", path) < 0)
		return false;
	can = lstat(old, &found) != 0 || is_recording(old) || is_empty(old) ||
	      refuse(old, "it is where the recording that is there would go");
	free(old);
	return can;
}

static bool can_record(const char *path)
{
	struct stat found;

	if (stat(path, &found) != 0)
		return errno == ENOENT && lstat(path, &found) != 0 ?
			       folder_takes_files(path) :
			       refuse(path, strerror(errno));
	if (!takes_files(path))
		return refuse(path, strerror(errno));
	/* What is traced already may trace another program to where it records itself. */
	if (getenv("WHOCALLME_RECORDING") || is_empty(path))
		return true;
	if (is_recording(path))
		return can_make_room(path);
	return refuse(path, "it is there, and no recording: name another");
}

bool output_can_record(const char *pattern)
{
	char *path = expand(pattern, "");
	bool can = true;

	if (path) {
		for (size_t end = strlen(path); end > 1 && path[end - 1] == '/'; end--)
			path[end - 1] = '\0';
		can = can_record(path);
	}
	free(path);
	return can;
}
