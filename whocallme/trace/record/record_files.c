/* SPDX-License-Identifier: MIT */
/* record_files.c (SAFE) - opens the files of the directory that this process records to.
 *
 * The directory is opened by its path each time, as the program may close any descriptor;
 * what has taken its place meanwhile is refused.
 */
#include "trace/record/record_files.h"

#include <errno.h>
#include <string.h>

#include "core/os/clock.h"
#include "core/os/file.h"
#include "format/line.h"
#include "crash/files/file_lock.h"
#include "format/path.h"
#include "format/proof.h"
#include "format/words.h"
#include "trace/engine/gate.h"
#include "trace/engine/trace_stderr.h"

enum { NAME_ROOM = 32, SECOND = 1000000000 };

struct wcm_recording wcm__recording;

uint64_t wcm__recording_namespace(void)
{
	struct stat found;

	return wcm__fstatat(AT_FDCWD, "/proc/self/ns/pid", &found, 0) == 0 ? found.st_ino : 0;
}

bool wcm__recording_is_here(void)
{
	const uint64_t namespace = wcm__recording_namespace();

	return namespace == 0 || wcm__recording.namespace == 0 ||
	       namespace == wcm__recording.namespace;
}

int wcm__recording_open_directory(int flags)
{
	struct stat found;
	const int fd = wcm__open(wcm__recording.directory, O_DIRECTORY | O_CLOEXEC | flags);

	if (fd < 0)
		return fd;
	if (wcm__fstat(fd, &found) == 0 && found.st_dev == wcm__recording.device &&
	    found.st_ino == wcm__recording.inode)
		return fd;
	wcm__close(fd);
	return -ENOENT;
}

static bool is_marker(const char *name)
{
	return strlen(name) == strlen(WCM_MARKER) &&
	       memcmp(name, WCM_MARKER, strlen(WCM_MARKER)) == 0;
}

int wcm__recording_open_file(const char *name, int flags)
{
	const int directory = wcm__recording_open_directory(O_PATH);
	int fd, error;

	if (directory < 0)
		return directory;
	fd = wcm__openat(directory, name,
			 flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
			 is_marker(name) ? 0600 : 0644);
	wcm__close(directory);
	error = fd < 0 ? fd : wcm__path_check_own(fd);
	if (fd >= 0 && error < 0)
		wcm__close(fd);
	return error < 0 ? error : fd;
}

int wcm__recording_try_lock(void)
{
	static bool is_kept;
	const int fd = wcm__recording_open_file(WCM_MARKER, O_RDONLY);
	const int error =
		fd < 0 ? fd : wcm__file_lock(fd, is_kept ? 0 : wcm__clock_ns() + SECOND);

	is_kept = error == -ETIMEDOUT;
	if (error == 0)
		return fd;
	if (fd >= 0)
		wcm__close(fd);
	return error;
}

int wcm__recording_lock(void)
{
	const int lock = wcm__recording_try_lock();

	if (lock < 0)
		__atomic_fetch_add(&wcm__recording.refused, 1, __ATOMIC_RELAXED);
	return lock;
}

void wcm__recording_unlock(int lock)
{
	if (lock < 0)
		return;
	wcm__file_unlock(lock);
	wcm__close(lock);
}

/* ENDING has four characters. */
static const char *name_of(char name[NAME_ROOM], int tid, const char *ending)
{
	wcm__format_numbered(name, NAME_ROOM, "", tid, ending);
	return name;
}

int wcm__recording_open_records(int tid, int flags)
{
	char name[NAME_ROOM];

	return wcm__recording_open_file(name_of(name, tid, ".dat"), flags);
}

void wcm__recording_note_end(int tid, uint64_t end)
{
	char name[NAME_ROOM];
	const int fd = wcm__recording_open_file(name_of(name, tid, ".end"),
						O_WRONLY | O_CREAT | O_TRUNC);

	if (fd < 0)
		return;
	wcm__pwrite(fd, &end, sizeof(end), 0);
	wcm__close(fd);
}

uint64_t wcm__recording_take_end(int tid)
{
	char name[NAME_ROOM];
	const int fd = wcm__recording_open_file(name_of(name, tid, ".end"), O_RDONLY);
	int directory;
	uint64_t end;
	long size;

	if (fd < 0)
		return 0;
	size = wcm__pread(fd, &end, sizeof(end), 0);
	wcm__close(fd);
	directory = wcm__recording_open_directory(O_PATH);
	if (directory >= 0) {
		wcm__unlinkat(directory, name, 0);
		wcm__close(directory);
	}
	return size == sizeof(end) ? end : 0;
}

static const char *reason(int error)
{
	switch (-error) {
	case ENOSPC:
	case EDQUOT:
		return "there is no room left on the device";
	case EFBIG:
		return "a file would be larger than allowed (see ulimit -f)";
	case ENOENT:
	case ENOTDIR:
		return "the directory is gone";
	case EACCES:
	case EPERM:
	case EROFS:
		return "the directory cannot be written any more";
	case EMFILE:
	case ENFILE:
		return "no descriptor is left";
	case EINVAL:
	case ELOOP:
	case EMLINK:
		return "a file in it is a link, or not this user's own";
	case EXDEV:
		return "the process is in another namespace, with numbers of its own";
	case ENODEV:
		return "the file system cannot map files";
	case ENOMEM:
		return "there is no memory left";
	default:
		return "the file cannot be written";
	}
}

void wcm__recording_fail(int error)
{
	struct wcm_line line;

	if (__atomic_exchange_n(&wcm__recording.failed, true, __ATOMIC_ACQ_REL))
		return;
	wcm__gate_close();
	wcm__line_begin(&line, wcm__trace_stderr());
	wcm__line_text(&line, "recording to ");
	wcm__line_name(&line, wcm__recording.directory);
	wcm__line_text(&line, " ends: ");
	wcm__line_text(&line, reason(error));
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
}
