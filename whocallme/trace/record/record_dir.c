/* SPDX-License-Identifier: MIT */
/* record_dir.c - makes, joins or replaces the directory of a recording.
 *
 * A program that a recorded one executes joins its recording if the environment says so;
 * the next run of the same program gets a recording of its own.  The two are told apart by
 * a number in the environment or, without one, by whether the recording's first process is
 * still there.
 */
#include "trace/record/record_dir.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/line.h"
#include "format/path.h"
#include "format/proof.h"
#include "format/settings.h"
#include "trace/process/brought.h"
#include "trace/engine/trace_stderr.h"
#include "trace/record/record_files.h"
#include "trace/record/ring.h"

enum { STAT_ROOM = 1024, START_FIELD = 22, NAME_ROOM = 64,
       NEW_DIRECTORY = 0755 };

FILE *wcm__record_dir_file(const char *name, int flags)
{
	const int fd = wcm__recording_open_file(name, flags);
	FILE *file = fd < 0 ? NULL :
			      fdopen(fd, (flags & O_ACCMODE) == O_RDONLY ? "r" :
					 flags & O_APPEND		 ? "a" :
									   "w");

	if (fd >= 0 && !file)
		close(fd);
	return file;
}

bool wcm__record_dir_close(FILE *file)
{
	const bool written = !ferror(file);

	return fclose(file) == 0 && written;
}

void wcm__record_dir_remove(const char *name)
{
	const int directory = wcm__recording_open_directory(O_PATH);

	if (directory < 0)
		return;
	unlinkat(directory, name, 0);
	close(directory);
}

static enum wcm_status refuse_for(const char *why, bool is_old)
{
	struct wcm_line line;

	wcm__line_begin(&line, wcm__trace_stderr());
	wcm__line_text(&line, "cannot record to ");
	wcm__line_name(&line, wcm__recording.directory);
	wcm__line_text(&line, ": ");
	if (is_old)
		wcm__line_text(&line, "what is there as .old: ");
	wcm__line_text(&line, why);
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
	return WCM_EOPEN;
}

static enum wcm_status refuse(const char *why)
{
	return refuse_for(why, false);
}

/* When the process PID was started, in ticks since the machine was; 0: it is not
 * there. */
static unsigned long long start_of(long pid)
{
	char path[NAME_ROOM], text[STAT_ROOM] = "", *field;
	unsigned long long start = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	field = strrchr(text, ')'); /* ends the second field, the name */
	for (int i = 2; field && i < START_FIELD; i++)
		field = strchr(field + 1, ' ');
	if (field)
		start = strtoull(field, NULL, 10);
	return start;
}

enum run { RUN_OTHER, RUN_OURS, RUN_ELSEWHERE /* ours, in another namespace */ };

/* Which run the recording FD is of.  Who has made the directory for the program may have
 * left the marker in it. */
static enum run run_of(int fd)
{
	const char *expected = wcm__setting(NULL, WCM_SET_RECORDING);
	const uint64_t here = wcm__recording_namespace();
	struct wcm_marker marker;

	if (wcm__proof_is_shared(fd) || !wcm__proof_marker(fd, &marker) ||
	    marker.start == 0 ||
	    ((!expected || strcmp(expected, marker.id) != 0) &&
	     start_of(marker.pid) != marker.start))
		return RUN_OTHER;
	return here && marker.namespace && here != marker.namespace ? RUN_ELSEWHERE :
								     RUN_OURS;
}

static bool has_info(void)
{
	FILE *file = wcm__record_dir_file("info", O_RDONLY);

	if (file)
		fclose(file);
	return file != NULL;
}

static void make_id(char id[WCM_MARKER_ID + 1])
{
	unsigned long long random = 0;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
		random = start_of(getpid()) << 32 ^ (unsigned)getpid();
	snprintf(id, WCM_MARKER_ID + 1, "%016llx", random);
}

/* Where the environment has the program traced, it tells the programs that this
 * one executes whose recording to join.  It is the program's, which may look at it at any time:
 * another thread, as an agent's, leaves it alone (IS_BROUGHT). */
static bool write_marker(FILE *file, bool is_brought)
{
	char id[WCM_MARKER_ID + 1];

	if (!file)
		return false;
	make_id(id);
	fprintf(file, "%s %ld %llu %llu\n", id, (long)getpid(), start_of(getpid()),
		(unsigned long long)wcm__recording.namespace);
	if (!is_brought && wcm__setting(NULL, WCM_SET_TRACE))
		setenv(wcm__settings[WCM_SET_RECORDING].variable, id, 1);
	return fclose(file) == 0;
}

/* NAME from the root, with the process for %p and a percent sign for %%. */
static bool set_path(const char *name)
{
	char *path = wcm__recording.directory;
	size_t length = 0, room = sizeof(wcm__recording.directory);

	if (*name != '/') {
		if (!getcwd(path, room - 1))
			return false;
		length = strlen(path);
		path[length++] = '/';
	}
	for (; *name && length < room - 1; name++) {
		if (name[0] == '%' && name[1] == 'p') {
			length += (size_t)snprintf(path + length, room - length,
						   "%ld", (long)getpid());
			name++;
		} else {
			name += name[0] == '%' && name[1] == '%';
			path[length++] = *name;
		}
	}
	if (length >= room - 1)
		return false;
	while (length > 1 && path[length - 1] == '/')
		length--;
	path[length] = '\0';
	return true;
}

/* Have the directory at ENTRY be the recording's. */
static enum wcm_status take(const struct wcm_path *entry)
{
	const int fd = wcm__path_open(entry, O_RDONLY | O_DIRECTORY, 0);
	struct stat found;
	const char *why;

	if (fd < 0)
		return refuse(strerror(-fd));
	why = fstat(fd, &found) == 0 ? wcm__proof_is_shared(fd) : strerror(errno);
	close(fd);
	if (why)
		return refuse(why);
	strcpy(wcm__recording.directory, entry->path);
	wcm__recording.device = found.st_dev;
	wcm__recording.inode = found.st_ino;
	wcm__recording.namespace = wcm__recording_namespace();
	return WCM_OK;
}

static bool is_empty(void)
{
	const int fd = wcm__recording_open_directory(O_RDONLY);
	const bool empty = fd >= 0 && wcm__proof_is_empty(fd);

	if (fd >= 0)
		close(fd);
	return empty;
}

/* Begin a recording at ENTRY, where there is an empty directory, or none: then one is made,
 * of MODE.  Who may write to the directory around may have put another one in its place. */
static enum wcm_status begin(const struct wcm_path *entry, mode_t mode)
{
	enum wcm_status status;

	if (mode && mkdirat(entry->folder, entry->name, mode) != 0)
		return refuse(strerror(errno));
	status = take(entry);
	if (status != WCM_OK)
		return status;
	if (!is_empty())
		return refuse("another directory has taken its place");
	return write_marker(wcm__record_dir_file(WCM_MARKER, WCM_NEW_FILE), false)
		       ? WCM_OK
		       : refuse("no file can be made in it");
}

static bool is_marker_here(int fd)
{
	const int directory = wcm__recording_open_directory(O_PATH);
	const bool is_here = directory >= 0 && wcm__brought_is_in(fd, directory);

	if (directory >= 0)
		close(directory);
	return is_here;
}

/* Begin a recording at ENTRY, if that is the directory where a client has made the marker that it
 * has BROUGHT.  The program may close that, and another file get its number: the copy is judged. */
static enum wcm_status begin_brought(const struct wcm_path *entry,
				     const struct wcm_brought *brought)
{
	const enum wcm_status status = take(entry);
	FILE *file = NULL;
	int fd;

	if (status != WCM_OK)
		return status;
	fd = fcntl(brought->file, F_DUPFD_CLOEXEC, brought->file);
	if (fd < 0 || !is_marker_here(fd)) {
		if (fd >= 0)
			close(fd);
		return refuse("here it is another directory than for who asks");
	}
	file = fdopen(fd, "w");
	if (!file)
		close(fd);
	return write_marker(file, true) ? WCM_OK : refuse("the marker in it cannot be written");
}

/* An empty directory is taken as it is.  One that others may write to, as the umask has it,
 * is made anew without that, if it is this user's. */
static enum wcm_status begin_empty(const struct wcm_path *itself,
				   const struct wcm_path *entry)
{
	const struct stat *found = &entry->found;

	/* A link, a mount point and "." cannot be removed, empty or not. */
	if (found->st_uid != geteuid() || !(found->st_mode & (S_IWGRP | S_IWOTH)) ||
	    unlinkat(itself->folder, itself->name, AT_REMOVEDIR) != 0)
		return begin(entry, 0);
	return begin(itself, found->st_mode & 0755);
}

/* There is a directory at ENTRY, where ITSELF may be a link to. */
static enum wcm_status open_there(const struct wcm_path *itself,
				  const struct wcm_path *entry, bool replace,
				  bool *joined)
{
	const int fd = wcm__path_open(entry, O_RDONLY | O_DIRECTORY, 0);
	const enum run run = fd >= 0 ? run_of(fd) : RUN_OTHER;
	const bool empty = fd >= 0 && wcm__proof_is_empty(fd);
	struct wcm_obstacle found;

	if (fd < 0)
		return refuse(strerror(-fd));
	close(fd);
	if (run == RUN_ELSEWHERE)
		return refuse("it is of another namespace, where processes have other "
			      "numbers: name another");
	if (run == RUN_OURS) {
		const enum wcm_status status = take(entry);

		*joined = status == WCM_OK && has_info();
		return status;
	}
	if (empty)
		return begin_empty(itself, entry);
	found = wcm__proof_make_room(itself->folder, itself->name, replace);
	return found.why ? refuse_for(found.why, found.is_old) :
			   begin(itself, NEW_DIRECTORY);
}

static bool find(struct wcm_path *entry, bool follow)
{
	const int error = wcm__path_find(entry, wcm__recording.directory, follow);

	if (error == -EXDEV)
		strcpy(wcm__recording.directory, entry->path);
	if (error < 0)
		refuse(error == -EXDEV ? "it is another user's link" : strerror(-error));
	return error == 0;
}

enum wcm_status wcm__record_dir_open(const char *name, bool replace, bool *joined)
{
	static struct wcm_path itself, entry; /* large: one at a time starts a trace */
	const struct wcm_brought *brought = wcm__brought_for(name);
	enum wcm_status status = WCM_EOPEN;

	*joined = false;
	if (!set_path(name))
		return refuse("the name is too long");
	if (!find(&itself, false))
		return WCM_EOPEN;
	if (brought) {
		status = begin_brought(&itself, brought);
	} else if (!itself.is_there) {
		status = begin(&itself, NEW_DIRECTORY);
	} else if (find(&entry, true)) {
		status = open_there(&itself, &entry, replace, joined);
		wcm__path_leave(&entry);
	}
	wcm__path_leave(&itself);
	return status;
}

/* Whether this is the process that began the recording FD. */
static bool is_first(int fd)
{
	struct wcm_marker marker;

	return wcm__proof_marker(fd, &marker) && marker.pid == getpid() &&
	       wcm__recording_is_here();
}

/* The first process does it, once: if all did, each would look at the files of all. */
void wcm__record_dir_trim(uint64_t *bytes)
{
	struct stat found;
	const int fd = wcm__recording_open_directory(O_RDONLY);
	DIR *directory = fd >= 0 && is_first(fd) ? fdopendir(fd) : NULL;
	struct dirent *task;
	char *end;

	while (directory && (task = readdir(directory))) {
		long tid = strtol(task->d_name, &end, 10);

		if (tid <= 0 || strcmp(end, ".dat") != 0)
			continue;
		if (kill((pid_t)tid, 0) != 0 && errno == ESRCH)
			wcm__ring_trim((int)tid);
		if (bytes && fstatat(fd, task->d_name, &found, AT_SYMLINK_NOFOLLOW) == 0)
			*bytes += (uint64_t)found.st_size;
	}
	if (directory)
		closedir(directory);
	else if (fd >= 0)
		close(fd);
}
