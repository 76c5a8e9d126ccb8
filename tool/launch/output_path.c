/* SPDX-License-Identifier: MIT */
/* output_path.c - checks, before a program starts, that what it is to write can be written.
 *
 * Whose links are followed, and what is a recording that can be put aside, is what the
 * library finds, too: format/.
 */
#include "launch/output_path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/absolute.h"
#include "base/complain.h"
#include "format/path.h"
#include "format/proof.h"

/* The program, and the time. */
static const char of_reports[] = "et";

static long process; /* that %p stands for; 0: this one */

void output_is_of(long pid)
{
	process = pid;
}

char *output_expand(const char *pattern, const char *later)
{
	char *path = NULL;
	size_t size;
	FILE *out = open_memstream(&path, &size);
	bool is_known = out != NULL;

	for (; is_known && *pattern; pattern++) {
		const char sign = *pattern == '%' ? pattern[1] : '\0';

		if (sign == 'p')
			fprintf(out, "%ld", process ? process : (long)getpid());
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

bool output_refuse(const char *path, const char *why)
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

bool output_find(struct wcm_path *entry, const char *path, bool follow)
{
	const int error = wcm__path_find(entry, path, follow);

	if (error == -EXDEV)
		return output_refuse(entry->path, "it is another user's link");
	return error == 0 || output_refuse(path, strerror(-error));
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

static bool begin_regular(const struct wcm_path *entry, bool appends,
			  char since[static OUTPUT_SINCE])
{
	struct stat file;
	int fd = wcm__path_open(entry, O_WRONLY | O_CREAT | O_NONBLOCK, 0644);
	const char *trap;
	bool done;

	if (fd < 0)
		return output_refuse(entry->path, strerror(-fd));
	trap = wcm__path_trap_opened(entry, fd);
	if (trap) {
		close(fd);
		return output_refuse(entry->path, trap);
	}
	done = fstat(fd, &file) == 0;
	if (done && !appends && S_ISREG(file.st_mode) && !is_standard(&file)) {
		/* The time is set even where there was nothing to cut off. */
		done = ftruncate(fd, 0) == 0 && futimens(fd, NULL) == 0 &&
		       fstat(fd, &file) == 0;
		snprintf(since, OUTPUT_SINCE, "%lld%09ld", (long long)file.st_mtim.tv_sec,
			 file.st_mtim.tv_nsec);
	}
	if (!done)
		output_refuse(entry->path, strerror(errno));
	close(fd);
	return done;
}

static bool may_use(const struct wcm_path *entry)
{
	if (faccessat(entry->folder, entry->name, W_OK, AT_EACCESS) == 0)
		return true;
	return output_refuse(entry->path, strerror(errno));
}

static bool takes_entries(const struct wcm_path *entry)
{
	return faccessat(entry->folder, ".", W_OK | X_OK, AT_EACCESS) == 0 ||
	       output_refuse(entry->path, strerror(errno));
}

static bool begin_at(const struct wcm_path *entry, bool appends,
		     char since[static OUTPUT_SINCE])
{
	const char *trap = wcm__path_trap(entry);

	if (trap)
		return output_refuse(entry->path, trap);
	if (!entry->is_there || S_ISREG(entry->found.st_mode))
		return begin_regular(entry, appends, since);
	if (S_ISDIR(entry->found.st_mode))
		return output_refuse(entry->path, strerror(EISDIR));
	/* A pipe waits for who reads it, and a device has no beginning. */
	return may_use(entry);
}

static bool begin(const char *path, bool appends, char since[static OUTPUT_SINCE])
{
	struct wcm_path entry;
	bool done = output_find(&entry, path, true);

	if (done) {
		done = begin_at(&entry, appends, since);
		wcm__path_leave(&entry);
	}
	return done;
}

/* Empty FD if it is a file's. */
static int cut_off(int fd)
{
	struct stat file;
	int error;

	if (fstat(fd, &file) != 0 || !S_ISREG(file.st_mode) || ftruncate(fd, 0) == 0)
		return fd;
	error = errno;
	close(fd);
	return -error;
}

/* Open what is there, or make it. */
static int open_at(const struct wcm_path *entry, bool appends)
{
	const bool is_file = !entry->is_there || S_ISREG(entry->found.st_mode);

	return wcm__path_open(entry,
			      O_WRONLY | (appends ? O_APPEND : 0) |
				      (is_file ? O_CREAT | O_NONBLOCK : 0),
			      0666);
}

/* MAKES: what is not there is made; else *FD is -1 then, and the folder takes it. */
static bool open_output(const char *name, bool appends, bool makes, int *fd)
{
	char whole[WCM_PATH_ROOM];
	const char *path = absolute_path(name, whole), *trap;
	struct wcm_path entry;
	bool done;

	*fd = -1;
	if (!path)
		return output_refuse(name, strerror(errno));
	if (!output_find(&entry, path, true))
		return false;
	trap = wcm__path_trap(&entry);
	if (!trap && !makes && !entry.is_there) {
		done = takes_entries(&entry);
	} else {
		*fd = trap ? -1 : open_at(&entry, appends);
		done = *fd >= 0 || output_refuse(name, trap ? trap : strerror(-*fd));
	}
	wcm__path_leave(&entry);
	return done;
}

/* The same where it is FD, unless that is -1. */
static int begin_output(const char *name, bool appends, int fd)
{
	if (fd < 0 && !open_output(name, appends, true, &fd))
		return -1;
	if (!appends)
		fd = cut_off(fd);
	if (fd < 0)
		output_refuse(name, strerror(-fd));
	return fd;
}

int output_open(const char *name)
{
	return begin_output(name, false, -1);
}

bool output_find_lines(struct output_lines *lines, const char *pattern, bool appends)
{
	*lines = (struct output_lines){ .path = output_expand(pattern, ""),
					.appends = appends, .fd = -1 };
	if (!lines->path)
		complain_of_memory();
	return lines->path && open_output(lines->path, appends, false, &lines->fd);
}

bool output_begin_lines(struct output_lines *lines)
{
	lines->fd = begin_output(lines->path, lines->appends, lines->fd);
	return lines->fd >= 0;
}

bool output_leave_lines(struct output_lines *lines)
{
	const bool done = lines->fd < 0 || close(lines->fd) == 0 ||
			  output_refuse(lines->path, strerror(errno));

	free(lines->path);
	return done;
}

bool output_begin(const char *pattern, bool appends, char since[static OUTPUT_SINCE])
{
	char *path = output_expand(pattern, "");
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
	return does || output_refuse(path, strerror(errno));
}

bool output_can_be_made(const char *pattern)
{
	char *path = output_expand(pattern, of_reports), *folder;
	struct stat found;
	bool can = true;

	if (!path) {
		/* Its folder may be known all the same. */
		folder = folder_of(pattern);
		path = folder ? output_expand(folder, of_reports) : NULL;
		can = !path || takes_files(path) || output_refuse(path, strerror(errno));
		free(folder);
	} else if (stat(path, &found) == 0 && S_ISDIR(found.st_mode)) {
		can = output_refuse(path, strerror(EISDIR));
	} else {
		can = folder_takes_files(path);
	}
	free(path);
	return can;
}

/* Whether a report may go to FOUND at PATH, as crash/files/append.c has it. */
static bool takes_report(const char *path, const struct stat *found, bool appends)
{
	if (S_ISDIR(found->st_mode))
		return output_refuse(path, strerror(EISDIR));
	if (!appends)
		return output_refuse(path, "it is there already, and a report goes to a new file; "
				    "--append adds to it, and %p in a name is the process");
	if (S_ISLNK(found->st_mode))
		return output_refuse(path, "it is a symbolic link, which is not followed");
	if (!S_ISREG(found->st_mode) || found->st_uid != geteuid())
		return output_refuse(path, "it is no regular file of this user's own");
	if (found->st_nlink > 1)
		return output_refuse(path, "it has other names, and may be another file");
	return access(path, R_OK | W_OK) == 0 || output_refuse(path, strerror(errno));
}

bool output_can_report(const char *pattern, bool appends)
{
	char *path = output_expand(pattern, of_reports);
	struct stat found;
	bool can;

	if (path && lstat(path, &found) == 0)
		can = takes_report(path, &found, appends);
	else
		can = output_can_be_made(pattern);
	free(path);
	return can;
}

/* REPLACES: a file that is there goes, and another one comes. */
static bool can_take(const char *path, bool replaces)
{
	struct wcm_path entry;
	const char *trap;
	bool can;

	if (!output_find(&entry, path, true))
		return false;
	trap = wcm__path_trap(&entry);
	if (trap)
		can = output_refuse(entry.path, trap);
	else if (entry.is_there && S_ISDIR(entry.found.st_mode))
		can = output_refuse(entry.path, strerror(EISDIR));
	else if (entry.is_there && !(replaces && S_ISREG(entry.found.st_mode)))
		can = may_use(&entry);
	else
		can = takes_entries(&entry);
	wcm__path_leave(&entry);
	return can;
}

bool output_can_replace(const char *pattern)
{
	char *path = output_expand(pattern, of_reports);
	const bool can = path ? can_take(path, true) : output_can_be_made(pattern);

	free(path);
	return can;
}

bool output_can_write(const char *name)
{
	char *expanded = output_expand(name, ""), whole[WCM_PATH_ROOM];
	const char *path = expanded ? absolute_path(expanded, whole) : NULL;
	const bool can = path ? can_take(path, false) : output_refuse(name, strerror(errno));

	free(expanded);
	return can;
}

bool output_is_other(const char *pattern, const char *program)
{
	char *path = output_expand(pattern, of_reports);
	struct stat output, itself;
	bool is_other = !path || stat(path, &output) != 0 || stat(program, &itself) != 0 ||
			output.st_dev != itself.st_dev || output.st_ino != itself.st_ino;

	if (!is_other)
		output_refuse(path, "it is the program");
	free(path);
	return is_other;
}

/* Whether what is in the directory ENTRY can make room, ITSELF being a link to it or the
 * same. */
static bool can_make_room(const struct wcm_path *itself, bool replace)
{
	const struct wcm_obstacle found =
		wcm__proof_of_room(itself->folder, itself->name, replace);
	char *old;

	if (!found.why)
		return takes_entries(itself);
	if (!found.is_old)
		return output_refuse(itself->path, found.why);
	if (asprintf(&old, "%s.old", itself->path) >= 0) {
		output_refuse(old, found.why);
		free(old);
	}
	return false;
}

static bool can_record_in(const struct wcm_path *itself, const struct wcm_path *entry,
			  bool replace)
{
	const int fd = wcm__path_open(entry, O_RDONLY | O_DIRECTORY, 0);
	bool is_empty;

	if (fd < 0)
		return output_refuse(itself->path, strerror(-fd));
	is_empty = wcm__proof_is_empty(fd);
	close(fd);
	/* What is traced already may trace another program to where it records itself. */
	if (getenv("WHOCALLME_RECORDING"))
		return true;
	if (is_empty && entry->found.st_uid != geteuid())
		return output_refuse(entry->path, "it is another user's");
	if (is_empty)
		return faccessat(entry->folder, entry->name, W_OK | X_OK,
				 AT_EACCESS) == 0 ||
		       output_refuse(entry->path, strerror(errno));
	return can_make_room(itself, replace);
}

static bool can_record(const char *path, bool replace)
{
	struct wcm_path itself, entry;
	bool can = output_find(&itself, path, false);

	if (!can)
		return false;
	if (!itself.is_there) {
		can = takes_entries(&itself);
	} else if ((can = output_find(&entry, path, true))) {
		can = can_record_in(&itself, &entry, replace);
		wcm__path_leave(&entry);
	}
	wcm__path_leave(&itself);
	return can;
}

bool output_can_record(const char *pattern, bool replace)
{
	char *path = output_expand(pattern, "");
	bool can = true;

	if (path) {
		for (size_t end = strlen(path); end > 1 && path[end - 1] == '/'; end--)
			path[end - 1] = '\0';
		can = can_record(path, replace);
	}
	free(path);
	return can;
}
