/* SPDX-License-Identifier: MIT */
/* recording.c - the directory that this process records to.
 *
 * Several processes may write to one directory: a line is appended in one write,
 * and the list of tasks changed under the marker's lock.
 */
#include "hook/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "crash/clock.h"
#include "crash/file_lock.h"
#include "files/path.h"
#include "files/proof.h"
#include "hook/gate.h"
#include "hook/ring.h"
#include "hook/said_to.h"
#include "hook/task_list.h"
#include "report/format.h"
#include "report/line.h"
#include "symbols/modules.h"
#include "syscall.h"
#include "unwind/self.h"

enum { NAME_ROOM = 32, SECOND = 1000000000 };

struct wcm_recording wcm__recording;

uint64_t wcm__recording_namespace(void)
{
	struct stat found;

	return wcm__syscall(SYS_newfstatat, AT_FDCWD, (long)"/proc/self/ns/pid",
			    (long)&found, 0, 0, 0) == 0 ? found.st_ino : 0;
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
	long fd = wcm__syscall(SYS_openat, AT_FDCWD, (long)wcm__recording.directory,
			       O_DIRECTORY | O_CLOEXEC | flags, 0, 0, 0);

	if (fd < 0)
		return (int)fd;
	if (wcm__syscall(SYS_fstat, fd, (long)&found, 0, 0, 0, 0) == 0 &&
	    found.st_dev == wcm__recording.device && found.st_ino == wcm__recording.inode)
		return (int)fd;
	wcm__recording_close_file((int)fd);
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
	long fd;
	int error;

	if (directory < 0)
		return directory;
	fd = wcm__syscall(SYS_openat, directory, (long)name,
			  flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
			  is_marker(name) ? 0600 : 0644, 0, 0);
	wcm__recording_close_file(directory);
	error = fd < 0 ? (int)fd : wcm__path_check_own((int)fd);
	if (fd >= 0 && error < 0)
		wcm__recording_close_file((int)fd);
	return error < 0 ? error : (int)fd;
}

int wcm__recording_lock(void)
{
	static bool is_kept;
	const int fd = wcm__recording_open_file(WCM_MARKER, O_RDONLY);

	if (fd >= 0)
		is_kept = wcm__file_lock(fd, is_kept ? 0 : wcm__clock_ns() + SECOND) != 0;
	return fd;
}

void wcm__recording_unlock(int lock)
{
	if (lock < 0)
		return;
	wcm__file_unlock(lock);
	wcm__recording_close_file(lock);
}

void wcm__recording_close_file(int fd)
{
	wcm__syscall(SYS_close, fd, 0, 0, 0, 0, 0);
}

int wcm__recording_open_records(int tid, int flags)
{
	char name[NAME_ROOM];
	size_t length = wcm__format_decimal(name, tid);

	memcpy(name + length, ".dat", sizeof(".dat"));
	return wcm__recording_open_file(name, flags);
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
	wcm__line_init(&line, wcm__said_to());
	wcm__line_text(&line, "<whocallme>: recording to ");
	wcm__line_name(&line, wcm__recording.directory);
	wcm__line_text(&line, " ends: ");
	wcm__line_text(&line, reason(error));
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
}

/* uftrace's seconds, a point and nine digits. */
static void add_time(struct wcm_line *line, uint64_t time)
{
	size_t room;
	char *digits;
	uint64_t part = time % SECOND;

	wcm__line_text(line, "timestamp=");
	wcm__line_decimal(line, (int64_t)(time / SECOND));
	digits = wcm__line_room(line, &room);
	if (room < 10)
		return;
	digits[0] = '.';
	for (int i = 9; i > 0; i--, part /= 10)
		digits[i] = (char)('0' + part % 10);
	wcm__line_use_room(line, 10);
}

/* A record has 10 bits of the depth: of more, those who read it have to know. */
static void add_task(int fd, const char *kind, uint64_t now, const char *name,
		     int id, const char *parent_name, int parent, uint32_t depth)
{
	struct wcm_line line;

	wcm__line_init(&line, fd);
	wcm__line_text(&line, kind);
	add_time(&line, now);
	wcm__line_text(&line, name);
	wcm__line_decimal(&line, id);
	wcm__line_text(&line, parent_name);
	wcm__line_decimal(&line, parent);
	if (depth >= WCM_RECORD_DEPTHS) {
		wcm__line_text(&line, " depth=");
		wcm__line_decimal(&line, depth);
	}
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
	wcm__task_list_add(id);
}

void wcm__recording_add_task(int pid, int tid, uint64_t now, uint32_t depth)
{
	const int parent = wcm__recording.pid;
	int fd = wcm__recording_open_file("task.txt", O_WRONLY | O_APPEND | O_CREAT);
	int lock;

	if (fd < 0) {
		wcm__recording_fail(fd);
		return;
	}
	lock = wcm__recording_lock();
	if (parent != pid) {
		wcm__recording.pid = pid;
		add_task(fd, "FORK ", now, " pid=", pid, " ppid=", parent, depth);
	}
	if (parent == pid || tid != pid)
		add_task(fd, "TASK ", tid == pid ? wcm__recording.start : now,
			 " tid=", tid, " pid=", pid, 0);
	wcm__recording_unlock(lock);
	wcm__recording_close_file(fd);
}

static void add_build_id(struct wcm_line *line, const struct wcm_module *module)
{
	static const char digits[] = "0123456789abcdef";
	size_t room;
	char *text;

	if (module->build_id_size == 0)
		return;
	wcm__line_text(line, " build-id=");
	text = wcm__line_room(line, &room);
	if (room < 2 * (size_t)module->build_id_size)
		return;
	for (uint32_t i = 0; i < module->build_id_size; i++) {
		text[2 * i] = digits[module->build_id[i] >> 4];
		text[2 * i + 1] = digits[module->build_id[i] & 15];
	}
	wcm__line_use_room(line, 2 * (size_t)module->build_id_size);
}

void wcm__recording_add_module(uint64_t now, const struct wcm_module *module)
{
	int fd = wcm__recording_open_file("task.txt", O_WRONLY | O_APPEND | O_CREAT);
	struct wcm_line line;

	if (fd < 0)
		return;
	wcm__line_init(&line, fd);
	wcm__line_text(&line, "DLOP ");
	add_time(&line, now);
	wcm__line_text(&line, " tid=");
	wcm__line_decimal(&line, wcm__thread_id());
	wcm__line_text(&line, " sid=");
	wcm__line_text(&line, wcm__recording.session);
	wcm__line_text(&line, " base=");
	wcm__line_hex(&line, module->lo, 1);
	wcm__line_text(&line, " libname=\"");
	wcm__line_name(&line, module->path);
	wcm__line_text(&line, "\"");
	add_build_id(&line, module);
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
	wcm__recording_close_file(fd);
}
