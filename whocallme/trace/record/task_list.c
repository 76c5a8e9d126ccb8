/* SPDX-License-Identifier: MIT */
/* task_list.c (SAFE) - keeps the list of tasks in the file `info`, and how long the recording took.
 *
 * uftrace reads the records of the tasks listed there and of no others.  The process may be
 * killed at any moment, so the list is changed by one write whenever a task begins.
 */
#include "trace/record/task_file.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "core/os/file.h"
#include "core/os/memory.h"
#include "format/words.h"
#include "trace/record/record_files.h"

enum { NUMBER_ROOM = 28 };

enum { SECOND = 1000000000 };

static const char elapsed_label[] = "elapsed_time:";
static const char count_label[] = "taskinfo:nr_tid=", list_label[] = "taskinfo:tids=";

/* The file, in memory with room for what is added. */
struct info {
	char *text;
	size_t size, room;
};

static bool read_info(struct info *info)
{
	int fd = wcm__recording_open_file("info", O_RDONLY);
	long size;

	if (fd < 0)
		return false;
	size = wcm__lseek(fd, 0, SEEK_END);
	info->room = size > 0 ? (size_t)size + 2 * NUMBER_ROOM : 0;
	info->text = wcm__map(info->room);
	if (!info->text) {
		wcm__close(fd);
		return false;
	}
	size = wcm__pread(fd, info->text, (size_t)size, 0);
	info->size = size > 0 ? (size_t)size : 0;
	wcm__close(fd);
	return true;
}

/* What stands behind LABEL, at the beginning of a line; NULL: there is none. */
static char *find(const struct info *info, const char *label, size_t length)
{
	for (size_t at = 1; at + length <= info->size; at++)
		if (info->text[at - 1] == '\n' &&
		    memcmp(info->text + at, label, length) == 0)
			return info->text + at + length;
	return NULL;
}

static size_t line_length(const struct info *info, const char *line)
{
	size_t left = info->size - (size_t)(line - info->text), length = 0;

	while (length < left && line[length] != '\n')
		length++;
	return length;
}

static bool lists(const char *list, size_t length, const char *number, size_t digits)
{
	for (size_t at = 0; at + digits <= length; at++)
		if ((at == 0 || list[at - 1] == ',') &&
		    (at + digits == length || list[at + digits] == ',') &&
		    memcmp(list + at, number, digits) == 0)
			return true;
	return false;
}

/* Put NEW instead of the LENGTH bytes at TEXT. */
static void replace(struct info *info, char *text, size_t length, const char *new,
		    size_t new_length)
{
	memmove(text + new_length, text + length,
		info->size - (size_t)(text - info->text) - length);
	memcpy(text, new, new_length);
	info->size += new_length - length;
}

static int64_t parse(const char *digits, size_t length)
{
	int64_t value = 0;

	for (size_t i = 0; i < length && digits[i] >= '0' && digits[i] <= '9'; i++)
		value = 10 * value + (digits[i] - '0');
	return value;
}

/* Add TID; what has changed begins at what is returned.  NULL: nothing has. */
static const char *add(struct info *info, int tid)
{
	char number[NUMBER_ROOM] = ",";
	size_t digits = wcm__format_decimal(number + 1, tid), length;
	char *list = find(info, list_label, sizeof(list_label) - 1);
	char *count = find(info, count_label, sizeof(count_label) - 1);

	if (!list || !count || count > list)
		return NULL;
	length = line_length(info, list);
	if (lists(list, length, number + 1, digits))
		return NULL;
	if (length == 0)
		replace(info, list, 0, number + 1, digits);
	else
		replace(info, list + length, 0, number, digits + 1);
	length = line_length(info, count);
	digits = wcm__format_decimal(number, parse(count, length) + 1);
	replace(info, count, length, number, digits);
	return count;
}

/* The number and the list change in one write: a process is killed before it or
 * after. */
static void write_from(const struct info *info, const char *from)
{
	const size_t offset = (size_t)(from - info->text);
	int fd = wcm__recording_open_file("info", O_WRONLY);
	long written;

	if (fd < 0) {
		wcm__recording_fail(fd);
		return;
	}
	written = wcm__pwrite(fd, from, info->size - offset, offset);
	if (written != (long)(info->size - offset))
		wcm__recording_fail((int)(written < 0 ? written : -ENOSPC));
	wcm__close(fd);
}

void wcm__task_list_add(int tid)
{
	struct info info = { 0 };
	const char *changed;

	if (!read_info(&info))
		return;
	changed = add(&info, tid);
	if (changed)
		write_from(&info, changed);
	wcm__unmap(info.text, info.room);
}

/* As uftrace has it: seconds, a point and nine digits, and the unit.  Returns how many bytes. */
static size_t put_seconds(char text[NUMBER_ROOM], uint64_t ns)
{
	struct wcm_words words;

	wcm__words_init(&words, text, NUMBER_ROOM);
	wcm__words_seconds(&words, ns);
	wcm__words_text(&words, " sec");
	return wcm__words_length(&words);
}

static uint64_t parse_seconds(const char *text, size_t length)
{
	uint64_t ns = (uint64_t)parse(text, length) * SECOND, unit = SECOND;
	size_t at = 0;

	while (at < length && text[at] != '.')
		at++;
	for (at++; at < length && text[at] >= '0' && text[at] <= '9'; at++)
		ns += (unit /= 10) * (uint64_t)(text[at] - '0');
	return ns;
}

void wcm__task_list_note_elapsed(uint64_t ns)
{
	struct info info = { 0 };
	char text[NUMBER_ROOM], *at;
	size_t length;

	if (!read_info(&info))
		return;
	at = find(&info, elapsed_label, sizeof(elapsed_label) - 1);
	length = at ? line_length(&info, at) : 0;
	if (at && parse_seconds(at, length) < ns) {
		replace(&info, at, length, text, put_seconds(text, ns));
		write_from(&info, at);
	}
	wcm__unmap(info.text, info.room);
}
