/* SPDX-License-Identifier: MIT */
/* graph_file.c - the file that a graph is written to.
 *
 * It is written under another name and renamed when it is whole, so that nobody reads
 * half a graph.  A device or a pipe is written to as it is.
 */
#include "hook/graph_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "crash/file.h"
#include "crash/mask.h"
#include "report/format.h"
#include "syscall.h"
#include "unwind/self.h"

enum { LONGEST = sizeof(((struct wcm_graph_file *)0)->path), STDERR = 2 };

static struct {
	char path[LONGEST];
	int owner; /* the process that has set it */
	uint32_t begun, done; /* files, by number */
} target;

bool wcm__graph_file_set(const char *path)
{
	const size_t size = strlen(path) + 1;

	if (size > sizeof(target.path))
		return false;
	memcpy(target.path, path, size);
	target.owner = wcm__process_id();
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
static int make_path(char *path)
{
	char number[20];
	const size_t digits = wcm__format_decimal(number, wcm__process_id());
	bool told = wcm__graph_file_is_ours(), fits = true;
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
	if (!told)
		fits = fits && add(path, &used, ".", 1) &&
		       add(path, &used, number, digits);
	return fits ? 0 : ENAMETOOLONG;
}

/* A name next to PATH that no other file being written has. */
static void make_other(struct wcm_graph_file *file)
{
	size_t used = strlen(file->path);

	memcpy(file->other, file->path, used);
	memcpy(file->other + used, ".", 1);
	used += 1;
	used += wcm__format_decimal(file->other + used, wcm__process_id());
	file->other[used++] = '-';
	used += wcm__format_decimal(file->other + used, file->number);
	file->other[used] = '\0';
}

static bool is_plain(const char *path)
{
	struct stat status;

	return wcm__syscall(SYS_newfstatat, AT_FDCWD, (long)path, (long)&status, 0,
			    0, 0) < 0 || S_ISREG(status.st_mode);
}

static int open_file(const char *path, int flags)
{
	long fd;

	do
		fd = wcm__syscall(SYS_openat, AT_FDCWD, (long)path,
				  O_WRONLY | O_CLOEXEC | O_NOCTTY | flags, 0666, 0, 0);
	while (fd == -EINTR);
	return (int)fd;
}

void wcm__graph_file_open(struct wcm_graph_file *file)
{
	file->fd = -1;
	file->used = 0;
	file->renamed = false;
	file->number = __atomic_add_fetch(&target.begun, 1, __ATOMIC_RELAXED);
	file->error = make_path(file->path);
	if (file->error)
		return;
	file->renamed = is_plain(file->path);
	if (file->renamed) {
		file->mask = wcm__mask_set(WCM_MASK_ALL & ~WCM_MASK_FATAL);
		make_other(file);
		file->fd = open_file(file->other, O_CREAT | O_EXCL | O_NOFOLLOW);
	} else {
		file->fd = open_file(file->path, 0);
	}
	if (file->fd < 0)
		file->error = -file->fd;
}

static void flush(struct wcm_graph_file *file)
{
	const char *at = file->buffer;
	size_t left = file->used;

	while (left > 0 && !file->error) {
		long written = wcm__syscall(SYS_write, file->fd, (long)at, (long)left,
					    0, 0, 0);

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

static void take_place(struct wcm_graph_file *file)
{
	long result = 0;

	if (!file->error && !is_outdated(file->number)) {
		result = wcm__syscall(SYS_renameat, AT_FDCWD, (long)file->other,
				      AT_FDCWD, (long)file->path, 0, 0);
		if (result == 0)
			return;
		file->error = (int)-result;
	}
	wcm__syscall(SYS_unlinkat, AT_FDCWD, (long)file->other, 0, 0, 0, 0);
}

bool wcm__graph_file_close(struct wcm_graph_file *file)
{
	long result;

	if (file->fd >= 0) {
		flush(file);
		result = wcm__syscall(SYS_close, file->fd, 0, 0, 0, 0, 0);
		if (result < 0 && result != -EINTR && !file->error)
			file->error = (int)-result;
		if (file->renamed)
			take_place(file);
	}
	if (file->renamed)
		wcm__mask_set(file->mask);
	if (file->error)
		wcm__crash_file_complain(STDERR, file->path, -file->error);
	return !file->error;
}
