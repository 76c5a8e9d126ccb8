/* SPDX-License-Identifier: MIT */
/* graph_file.c - replaces the file of a graph as a whole, or not at all.
 *
 * The graph is written under another name and renamed when it is whole, so that nobody reads
 * half of one.  A device or a pipe is written to directly, and so is a file that is open from the
 * start, whose owner looks at its end.  The path is followed when the graph is written, and its
 * folder stays open until the file is renamed.
 */
#include "trace/graph/graph_file.h"

#include <errno.h>
#include <string.h>

#include "core/os/file.h"
#include "core/os/mask.h"
#include "core/os/self.h"
#include "crash/files/descriptor.h"
#include "crash/files/report_file.h"
#include "format/digits.h"
#include "trace/probe/trace_stderr.h"

enum {
	LONGEST = sizeof(((struct wcm_graph_file *)0)->path),
};

static struct {
	char path[LONGEST];
	int owner; /* the process that has set it */
	uint64_t since;
	bool is_open;         /* by the descriptor */
	struct wcm_descriptor descriptor;
	bool is_taken;        /* another program's graph is there */
	uint32_t begun, done; /* files, by number */
} target;

bool wcm__graph_file_set(const char *path, uint64_t since)
{
	const size_t size = strlen(path) + 1;

	if (size > sizeof(target.path))
		return false;
	memcpy(target.path, path, size);
	target.owner = wcm__process_id();
	target.since = since;
	target.is_taken = target.is_open = false;
	return true;
}

bool wcm__graph_file_set_open(const char *path, int fd)
{
	if (!wcm__graph_file_set(path, 0))
		return false;
	wcm__descriptor_note(&target.descriptor, fd);
	target.is_open = true;
	return true;
}

bool wcm__graph_file_is_ours(void)
{
	return target.owner == wcm__process_id();
}

static bool add(char *path, size_t *used, const char *text, size_t size)
{
	if (size >= LONGEST - *used)
		return false;
	memcpy(path + *used, text, size);
	*used += size;
	path[*used] = '\0';
	return true;
}

/* Returns 0 or an errno. */
static int make_path(struct wcm_graph_file *file)
{
	char number[20], *path = file->path;
	const size_t digits = wcm__format_decimal(number, wcm__process_id());
	bool told = false, fits = true;
	size_t used = 0;

	for (const char *at = target.path; *at && fits; at++) {
		if (at[0] == '%' && at[1] == 'p') {
			fits = add(path, &used, number, digits);
			told = true;
			at++;
		} else {
			at += at[0] == '%' && at[1] == '%';
			fits = add(path, &used, at, 1);
		}
	}
	file->told = told || !wcm__graph_file_is_ours();
	if (!told && file->told)
		fits = fits && add(path, &used, ".", 1) &&
		       add(path, &used, number, digits);
	return fits ? 0 : ENAMETOOLONG;
}

/* Names next to the file's: one that no other file being written has, and one that no
 * other process' graph has. */
static int make_others(struct wcm_graph_file *file)
{
	size_t used = strlen(file->entry.name);

	if (used + 2 * sizeof("-2147483648") >= sizeof(file->other))
		return ENAMETOOLONG;
	memcpy(file->apart, file->entry.name, used);
	file->apart[used++] = '.';
	used += wcm__format_decimal(file->apart + used, wcm__process_id());
	file->apart[used] = '\0';
	memcpy(file->other, file->apart, used);
	file->other[used++] = '-';
	used += wcm__format_decimal(file->other + used, file->number);
	file->other[used] = '\0';
	return 0;
}

static int open_other(struct wcm_graph_file *file)
{
	if (make_others(file) != 0)
		return -ENAMETOOLONG;
	return wcm__openat_again(file->entry.folder, file->other,
				 O_WRONLY | O_CLOEXEC | O_NOCTTY | O_CREAT | O_EXCL | O_NOFOLLOW,
				 0644);
}

/* Returns a descriptor or a negated errno. */
static int open_file(struct wcm_graph_file *file)
{
	const struct wcm_path *entry = &file->entry;

	if (wcm__path_trap(entry))
		return -EXDEV;
	file->renamed = !entry->is_there || S_ISREG(entry->found.st_mode);
	if (!file->renamed)
		return wcm__path_open(entry, O_WRONLY | O_APPEND, 0);
	file->mask = wcm__mask_set(WCM_MASK_ALL & ~WCM_MASK_FATAL);
	return open_other(file);
}

/* The program may have closed it, and another have the number.  Returns a descriptor or a negated
 * errno. */
static int begin_again(void)
{
	int fd;

	if (wcm__descriptor_is_another(&target.descriptor) || !wcm__graph_file_is_ours())
		return -EBADF;
	fd = wcm__fcntl(target.descriptor.fd, F_DUPFD_CLOEXEC, target.descriptor.fd);
	if (fd >= 0 && (wcm__lseek(fd, 0, SEEK_SET) < 0 || wcm__ftruncate(fd, 0) < 0)) {
		wcm__close(fd);
		return -EIO;
	}
	return fd;
}

void wcm__graph_file_open(struct wcm_graph_file *file)
{
	file->fd = -1;
	file->used = 0;
	file->renamed = file->is_empty = false;
	file->entry.folder = -1;
	file->number = __atomic_add_fetch(&target.begun, 1, __ATOMIC_RELAXED);
	file->error = make_path(file);
	if (!file->error && target.is_open) {
		file->fd = begin_again();
		file->error = file->fd < 0 ? -file->fd : 0;
		return;
	}
	if (!file->error)
		file->error = -wcm__path_find(&file->entry, file->path, true);
	if (file->error)
		return;
	file->fd = open_file(file);
	if (file->fd < 0)
		file->error = -file->fd;
}

static void flush(struct wcm_graph_file *file)
{
	const char *at = file->buffer;
	size_t left = file->used;

	while (left > 0 && !file->error) {
		long written = wcm__write(file->fd, at, left);

		if (written == -EINTR)
			continue;
		if (written <= 0) {
			file->error = written < 0 ? (int)-written : EIO;
			break;
		}
		at += written;
		left -= (size_t)written;
	}
	file->used = 0;
}

void wcm__graph_file_put(struct wcm_graph_file *file, const char *text, size_t size)
{
	while (size > 0 && !file->error) {
		size_t part = sizeof(file->buffer) - file->used;

		if (part > size)
			part = size;
		memcpy(file->buffer + file->used, text, part);
		file->used += part;
		text += part;
		size -= part;
		if (file->used == sizeof(file->buffer))
			flush(file);
	}
}

/* One that was begun later has what this one has, and more. */
static bool is_outdated(uint32_t number)
{
	uint32_t done = __atomic_load_n(&target.done, __ATOMIC_RELAXED);

	do
		if ((int32_t)(done - number) > 0)
			return true;
	while (!__atomic_compare_exchange_n(&target.done, &done, number, true,
					    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
	return false;
}

/* Whether the file that was found is of an earlier trace. */
static bool is_stale(const struct wcm_graph_file *file)
{
	const struct timespec *last = &file->entry.found.st_mtim;

	return file->entry.is_there &&
	       (uint64_t)last->tv_sec * 1000000000 + (uint64_t)last->tv_nsec <
		       target.since;
}

static long remove_other(const struct wcm_graph_file *file)
{
	return wcm__unlinkat(file->entry.folder, file->other, 0);
}

/* The first graph of a program does not replace that of another one of its trace. */
static long rename_it(const struct wcm_graph_file *file, bool is_first)
{
	const char *name = file->entry.name;

	if (is_first && !file->told && target.since != 0 && !is_stale(file)) {
		const int result = wcm__rename_new_in(file->entry.folder, file->other, name);

		if (result == 0)
			return 0;
		target.is_taken = result == -EEXIST;
	}
	if (!file->told && target.is_taken) {
		if (file->is_empty)
			return remove_other(file);
		name = file->apart;
	}
	return wcm__rename_in(file->entry.folder, file->other, name);
}

static void take_over(struct wcm_graph_file *file)
{
	const bool is_first = __atomic_load_n(&target.done, __ATOMIC_RELAXED) == 0;
	long result = 0;

	if (!file->error && !is_outdated(file->number)) {
		result = rename_it(file, is_first);
		if (result == 0)
			return;
		file->error = (int)-result;
	}
	remove_other(file);
}

bool wcm__graph_file_close(struct wcm_graph_file *file)
{
	long result;

	if (file->fd >= 0) {
		flush(file);
		result = wcm__close(file->fd);
		if (result < 0 && result != -EINTR && !file->error)
			file->error = (int)-result;
		if (file->renamed)
			take_over(file);
	}
	if (file->renamed)
		wcm__mask_set(file->mask);
	wcm__path_leave(&file->entry);
	if (file->error)
		wcm__crash_file_complain(wcm__trace_stderr(), file->path,
					 -file->error);
	return !file->error;
}
