/* SPDX-License-Identifier: MIT */
/* report_file.c (SAFE) - opens the file of a report, and names it.
 *
 * Another user who can write to a directory of the path may bring about a crash to have
 * a file overwritten.  So an existing file is not written to unless that was asked
 * for, and no link is followed.
 */
#include "crash/files/report_file.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/os/auxv.h"
#include "core/os/clock.h"
#include "core/os/file.h"
#include "core/os/self.h"
#include "format/line.h"
#include "crash/files/append.h"
#include "format/path.h"
#include "format/words.h"

enum { LONGEST_PATH = 4096 /* PATH_MAX */ };

bool wcm__crash_file_is_pattern(const char *pattern)
{
	for (; *pattern; pattern++) {
		if (*pattern != '%')
			continue;
		pattern++;
		if (*pattern != 'p' && *pattern != 'e' && *pattern != 't' &&
		    *pattern != '%')
			return false;
	}
	return true;
}

static const char *program_name(void)
{
	const char *path = wcm__auxv_path();
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path && *path ? path : "program";
}

/* False: %KIND stands for itself. */
static bool put_kind(struct wcm_words *path, char kind, bool is_report)
{
	if (kind == '%')
		wcm__words_byte(path, '%');
	else if (kind == 'p')
		wcm__words_id(path, wcm__process_id());
	else if (is_report && kind == 't')
		wcm__words_id(path, wcm__clock_date());
	else if (is_report && kind == 'e')
		wcm__words_text(path, program_name());
	else
		return false;
	return true;
}

bool wcm__path_of_pattern(struct wcm_words *path, const char *pattern, bool is_report)
{
	bool names_process = false;

	for (; *pattern; pattern++) {
		char *const before = path->at;

		if (*pattern == '%' && put_kind(path, pattern[1], is_report))
			names_process |= *++pattern == 'p';
		else
			wcm__words_byte(path, *pattern);
		if (path->is_cut)
			path->at = before;
	}
	return names_process;
}

/* Open PATH, or make it.  Links on the way to it are those of this user and root. */
static int open_path(const char *path, int flags)
{
	static struct wcm_path entry; /* large */
	int result = wcm__path_find(&entry, path, false);

	if (result < 0)
		return result;
	if (entry.links > 0 && wcm__path_trap(&entry))
		result = -EXDEV;
	else
		result = wcm__path_open(&entry, flags | O_CREAT, 0600);
	wcm__path_leave(&entry);
	return result;
}

int wcm__crash_file_open(const char *pattern, bool append, uint64_t deadline,
			 const char **path)
{
	static char made[LONGEST_PATH];
	struct wcm_words words;
	int fd;

	*path = made;
	wcm__words_init(&words, made, sizeof(made));
	wcm__path_of_pattern(&words, pattern, true);
	if (!wcm__words_finish(&words))
		return -ENAMETOOLONG;
	if (!append)
		return open_path(made, O_WRONLY | O_EXCL);
	fd = open_path(made, O_RDWR | O_APPEND | O_NONBLOCK);
	return fd < 0 ? fd : wcm__append_open(fd, deadline);
}

int wcm__crash_file_close(int fd, bool append, bool whole, uint64_t deadline)
{
	int error = 0;

	if (append)
		error = wcm__append_close(fd, whole, deadline);
	else
		wcm__close(fd);
	return whole ? error : -ENODATA;
}

static const struct {
	int error;
	const char *text;
} reasons[] = {
	{ ENODATA, "the report is not whole" },
	{ EEXIST, "there is such a file already" },
	{ ENOENT, "there is no such directory" },
	{ ENOTDIR, "there is no such directory" },
	{ EACCES, "permission denied" },
	{ EPERM, "permission denied" },
	{ EROFS, "the file system is read-only" },
	{ ENOSPC, "the disk is full" },
	{ EDQUOT, "the disk quota is used up" },
	{ EMFILE, "too many files are open" },
	{ ENFILE, "too many files are open" },
	{ EFBIG, "the file may not be that large" },
	{ EIO, "an input/output error" },
	{ EPIPE, "nobody reads it" },
	{ ENAMETOOLONG, "the name is too long" },
	{ ELOOP, "it is a symbolic link" },
	{ EXDEV, "another user may have put it there, or may write to it" },
	{ EISDIR, "it is a directory" },
	{ EINVAL, "it is no regular file of this user's own" },
	{ EMLINK, "it has another name as well, by a hard link" },
	{ EOPNOTSUPP, "a process that may not be dumped has none" },
	{ ETIMEDOUT, "others keep it locked" },
};

const char *wcm__crash_file_reason(int error)
{
	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (reasons[i].error == -error)
			return reasons[i].text;
	return NULL;
}

void wcm__crash_file_complain(int fd, const char *path, int error)
{
	const char *text = wcm__crash_file_reason(error);
	struct wcm_line line;

	wcm__line_begin(&line, fd);
	wcm__line_name(&line, path);
	wcm__line_text(&line, ": ");
	if (text) {
		wcm__line_text(&line, text);
	} else {
		wcm__line_text(&line, "cannot be created, error ");
		wcm__line_decimal(&line, -(int64_t)error);
	}
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
}
