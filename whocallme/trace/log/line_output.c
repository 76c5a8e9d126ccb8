/* SPDX-License-Identifier: MIT */
/* line_output.c (SAFE) - sends the lines of a trace to a descriptor or to a file.
 *
 * The descriptor is a copy with a high number, out of the program's way.  If the program
 * closes it all the same, as daemons close all there are, the file is opened again by its
 * path; another file that has got the number is never written to.
 */
#include "trace/log/line_output.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "core/os/file.h"
#include "core/os/output.h"
#include "core/os/self.h"
#include "crash/files/descriptor.h"
#include "crash/files/report_file.h"
#include "format/path.h"
#include "format/words.h"
#include "trace/engine/gate.h"
#include "trace/engine/trace_stderr.h"
#include "whocallme/trace.h"

enum { LONGEST_PATH = 4096 /* PATH_MAX */ };

static int target_fd = -1;
static int failure; /* of the output: what has ended the trace */

static struct {
	dev_t device; /* what the descriptor is, to be known by */
	ino_t inode;
	bool is_file, is_magic, names_processes;
	const char *head;
	uint64_t since; /* what was written before is of another trace */
	char pattern[LONGEST_PATH]; /* absolute; empty: the descriptor's own path */
	char path[LONGEST_PATH];
} target;

static void learn(const struct stat *found)
{
	target.device = found->st_dev;
	target.inode = found->st_ino;
}

static bool is_there(void)
{
	struct stat now;

	return target_fd >= 0 && wcm__fstat(target_fd, &now) == 0 &&
	       now.st_dev == target.device && now.st_ino == target.inode;
}

static bool make_pattern(const char *pattern)
{
	struct wcm_words path;
	long length;

	wcm__words_init(&path, target.pattern, LONGEST_PATH);
	if (*pattern != '/') {
		length = wcm__getcwd(target.pattern, LONGEST_PATH);
		if (length < 2)
			return false;
		path.at += length - 1;
		wcm__words_byte(&path, '/');
	}
	wcm__words_text(&path, pattern);
	return wcm__words_finish(&path);
}

static bool make_path(void)
{
	struct wcm_words path;

	wcm__words_init(&path, target.path, LONGEST_PATH);
	wcm__path_of_pattern(&path, target.pattern, false);
	return wcm__words_finish(&path);
}

static int take(long fd)
{
	long moved = fd < 0 ? fd : wcm__output_away((int)fd);
	struct stat found;

	if (moved < 0)
		return (int)moved;
	target_fd = (int)moved;
	if (wcm__fstat(moved, &found) == 0)
		learn(&found);
	target.is_file = false;
	return 0;
}

/* One that is opened for reading, too, would never hear that its reader has gone. */
static bool is_fifo(const struct wcm_path *where)
{
	struct stat found;

	return wcm__fstatat(where->folder, where->name, &found, 0) == 0 && S_ISFIFO(found.st_mode);
}

/* Whether FOUND, which is open, is of another trace, and nobody else's: a file may have
 * other names. */
static bool is_old(const struct wcm_path *where, const struct stat *found)
{
	const uint64_t second = UINT64_C(1000000000);

	return (uint64_t)found->st_mtim.tv_sec * second +
			       (uint64_t)found->st_mtim.tv_nsec <
		       target.since &&
	       where->is_there && found->st_nlink == 1 &&
	       where->found.st_dev == found->st_dev &&
	       where->found.st_ino == found->st_ino;
}

static long open_path(int flags)
{
	flags |= O_APPEND | O_CLOEXEC | O_NOCTTY | (target.is_magic ? 0 : O_NOFOLLOW);
	return wcm__openat_again(AT_FDCWD, target.path, flags, 0);
}

/* Open again what the program has closed. */
static bool open_again(void)
{
	long fd = target.path[0] == '/'
			  ? open_path(target.is_file ? O_RDWR : O_WRONLY)
			  : -ENOENT;
	const long old = target_fd;

	if (fd < 0)
		return false;
	target_fd = wcm__output_away((int)fd);
	wcm__close(fd);
	if (!is_there()) {
		wcm__close(target_fd);
		target_fd = (int)old;
		return false;
	}
	return true;
}

/* The descriptor, opened again if the program has closed it; -1: it is gone. */
static int descriptor(void)
{
	return is_there() || open_again() ? target_fd : -1;
}

static int open_at(const struct wcm_path *where)
{
	struct stat found;
	int fd, result;

	if (wcm__path_trap(where))
		return -EXDEV;
	fd = wcm__path_open(where,
			    O_APPEND | (is_fifo(where) ? O_WRONLY
						       : O_RDWR | O_CREAT),
			    0644);
	if (fd < 0) /* a pipe or a terminal of which we have but one end */
		fd = wcm__path_open(where, O_APPEND | O_WRONLY | O_CREAT, 0644);
	if (fd >= 0 && wcm__path_trap_opened(where, fd)) {
		wcm__close(fd);
		return -EXDEV;
	}
	result = take(fd);
	if (fd >= 0)
		wcm__close(fd);
	if (result < 0)
		return result;
	memcpy(target.path, where->path, sizeof(target.path));
	target.is_magic = where->magic;
	target.is_file = wcm__fstat(target_fd, &found) == 0 && S_ISREG(found.st_mode);
	if (target.is_file && is_old(where, &found))
		wcm__ftruncate(target_fd, 0);
	if (target.is_file)
		wcm__mapped_window_begin(target.names_processes, descriptor);
	return 0;
}

static int open_file(void)
{
	static struct wcm_path
		where; /* large; who begins a trace, or a child, is alone */
	int result = wcm__path_find(&where, target.path, true);

	if (result < 0)
		return result;
	result = open_at(&where);
	wcm__path_leave(&where);
	return result;
}

/* What a descriptor that was given to us has for a name. */
static void find_path(void)
{
	char link[32];
	long length;

	wcm__format_numbered(link, sizeof(link), "/proc/self/fd/", target_fd, "");
	length = wcm__readlinkat(AT_FDCWD, link, target.path, LONGEST_PATH - 1);
	target.path[length > 0 ? length : 0] = '\0';
}

/* Whether lines of this trace are in the file.  File systems have a clock of their own, which goes
 * by the ticks of the kernel. */
static bool is_begun(const struct wcm_line_output_kind *kind)
{
	const uint64_t second = UINT64_C(1000000000), tick = 20 * 1000 * 1000;
	struct stat found;

	if (!target.is_file)
		return kind->headed != 0 && kind->headed == target.inode;
	if (wcm__fstat(target_fd, &found) != 0 || found.st_size == 0)
		return false;
	return !kind->begins && (uint64_t)found.st_mtim.tv_sec * second +
					(uint64_t)found.st_mtim.tv_nsec + tick >= kind->start;
}

static void write_head(const struct wcm_line_output_kind *kind)
{
	struct wcm_line line;

	if (!kind->head || is_begun(kind))
		return;
	wcm__line_init(&line, target_fd);
	wcm__line_text(&line, kind->head);
	wcm__line_output_write(&line);
}

int wcm__line_output_open(int fd, const char *pattern, uint64_t since,
			  const struct wcm_line_output_kind *kind)
{
	int result;

	__atomic_store_n(&failure, 0, __ATOMIC_RELAXED);
	target.since = since;
	target.names_processes = kind->names_processes;
	target.head = kind->head;
	target.pattern[0] = '\0';
	if (pattern) {
		if (!make_pattern(pattern) || !make_path())
			return -ENAMETOOLONG;
		result = open_file();
	} else {
		result = take(fd);
		if (result == 0)
			find_path();
	}
	if (result == 0)
		write_head(kind);
	return result;
}

static int write_file(struct wcm_line *line)
{
	size_t size = 0;

	for (int i = 0; i < line->count; i++)
		size += line->part[i].iov_len;
	return wcm__mapped_window_write(line->part, line->count, size);
}

/* Say so where the program speaks, unless that is what has failed. */
static void give_up(int error)
{
	const char *reason = wcm__crash_file_reason(error);
	const int fd = wcm__trace_stderr();
	struct wcm_line line;
	struct stat said;

	__atomic_store_n(&failure, error, __ATOMIC_RELAXED); /* seen by who sees the stop */
	wcm_trace_stop();
	if (wcm__fstat(fd, &said) != 0 ||
	    (said.st_dev == target.device && said.st_ino == target.inode))
		return;
	wcm__line_begin(&line, fd);
	wcm__line_text(&line, "the trace ends here: no more can be "
			      "written to ");
	wcm__line_name(&line, target.path);
	if (reason) {
		wcm__line_text(&line, ": ");
		wcm__line_text(&line, reason);
	}
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
}

/* What has failed is not tried again by each call that is open still: it may wait, or take a part
 * of what it is given. */
bool wcm__line_output_write(struct wcm_line *line)
{
	const bool has_failed = __builtin_expect(wcm__line_output_failure() != 0, 0);
	int error = 0;

	if (has_failed)
		;
	else if (target.is_file)
		error = write_file(line);
	else if (descriptor() < 0)
		error = -EBADF;
	else
		error = wcm__output_put(target_fd, line->part, line->count);
	line->count = 0;
	if (error && wcm__gate_is_open())
		give_up(error);
	return error == 0 && !has_failed;
}

int wcm__line_output_failure(void)
{
	return __atomic_load_n(&failure, __ATOMIC_RELAXED);
}

uint64_t wcm__line_output_headed(void)
{
	return target_fd >= 0 && target.head && !target.is_file ? target.inode : 0;
}

bool wcm__line_output_is_terminal(void)
{
	return target_fd >= 0 && wcm__is_terminal(target_fd);
}

/* What the parent has mapped of the file is its own; a file by number is, too. */
void wcm__line_output_fork(void)
{
	int parents;

	__atomic_store_n(&failure, 0, __ATOMIC_RELAXED);
	if (!target.is_file)
		return;
	parents = descriptor();
	wcm__mapped_window_abandon();
	if (!make_path() || open_file() != 0)
		return;
	if (parents >= 0)
		wcm__close(parents);
	write_head(&(struct wcm_line_output_kind){ .head = target.head });
}

void wcm__line_output_abandon(void)
{
	if (target.is_file)
		wcm__mapped_window_abandon();
	if (is_there())
		wcm__close(target_fd);
	target_fd = -1;
	target.is_file = false;
}

void wcm__line_output_trim(void)
{
	if (target.is_file)
		wcm__mapped_window_trim();
}

void wcm__line_output_close(void)
{
	if (target.is_file)
		wcm__mapped_window_end();
	if (is_there())
		wcm__close(target_fd);
	target_fd = -1;
	target.is_file = false;
}
