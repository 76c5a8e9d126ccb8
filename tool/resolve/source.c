/* SPDX-License-Identifier: MIT */
/* source.c - the text of a line.
 *
 * Files are read whole, and their names come from debug data that anybody may have
 * written: no other than regular files are opened, no large ones, and none by a link
 * that somebody else has made: format/path.h.
 */
#include "resolve/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/absolute.h"
#include "format/regular.h"

enum {
	MOST_FILES = 32,
	MOST_BYTES = 8 << 20, /* of a file */
	MOST_KEPT = 48 << 20, /* of all, with what is known of their lines */
};

struct source {
	char *name; /* NULL: none is kept here */
	char *text; /* NULL: it cannot be read */
	uint32_t *start; /* of line I + 1; one more than there are lines */
	uint32_t lines;
	size_t bytes;       /* of memory */
	unsigned long used; /* when, in look-ups */
};

static struct source kept[MOST_FILES];
static unsigned long look_ups;
static size_t bytes_kept;

static void forget(struct source *source)
{
	bytes_kept -= source->bytes;
	free(source->name);
	free(source->text);
	free(source->start);
	memset(source, 0, sizeof(*source));
}

/* Read FD to its end into TEXT, SIZE bytes at most.  Returns how many. */
static size_t read_whole(int fd, char *text, size_t size)
{
	size_t count = 0;
	ssize_t now;

	while (count < size) {
		now = read(fd, text + count, size - count);
		if (now > 0)
			count += (size_t)now;
		else if (now == 0 || errno != EINTR)
			break;
	}
	return count;
}

/* Open the regular file NAME, where nobody else has put in its place one that this user
 * may read and they may not; root's answer is read by others. */
static int open_source(const char *name)
{
	/* A device may do things when it is opened, a pipe wait for its writer. */
	const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY;
	static struct wcm_path entry;
	char path[WCM_PATH_ROOM];
	int fd = -1;

	/* What is read as another user than one's own is not for that one. */
	if (getuid() != geteuid() || getgid() != getegid() ||
	    !(name = absolute_path(name, path)))
		return -1;
	if (getuid() == 0)
		return wcm__path_open_guarded(&entry, name, 0, flags);
	if (wcm__path_find(&entry, name, true) < 0)
		return -1;
	if (entry.is_there && S_ISREG(entry.found.st_mode))
		fd = wcm__path_open(&entry, flags, 0);
	wcm__path_leave(&entry);
	return fd;
}

/* The text of the file, *SIZE bytes; NULL where there is none to be had. */
static char *load(const char *name, size_t *size)
{
	int fd = open_source(name);
	char *text = NULL;
	uint64_t bytes;

	if (fd < 0)
		return NULL;
	if (wcm__regular_check(fd, &bytes) == 0 && bytes <= MOST_BYTES)
		text = malloc((size_t)bytes + 1);
	if (text)
		*size = read_whole(fd, text, (size_t)bytes);
	close(fd);
	return text;
}

static bool find_lines(struct source *source, size_t size)
{
	const char *text = source->text, *newline;
	size_t lines = 1;

	for (const char *at = text; (newline = memchr(at, '\n', size - (size_t)(at - text)));
	     at = newline + 1)
		lines++;
	source->start = malloc((lines + 1) * sizeof(*source->start));
	if (!source->start)
		return false;
	source->start[source->lines++] = 0;
	for (size_t at = 0; (newline = memchr(text + at, '\n', size - at));) {
		at = (size_t)(newline + 1 - text);
		source->start[source->lines++] = (uint32_t)at;
	}
	/* As if the last line had a newline, too. */
	source->start[source->lines] = (uint32_t)size + 1;
	source->bytes = size + lines * sizeof(*source->start);
	return true;
}

/* The one that nobody has asked for the longest, of those of FEWEST bytes or more;
 * NULL: there are none but BUT. */
static struct source *oldest(size_t fewest, const struct source *but)
{
	struct source *found = NULL;

	for (struct source *source = kept; source < kept + MOST_FILES; source++)
		if (source != but && source->bytes >= fewest &&
		    (!found || source->used < found->used))
			found = source;
	return found;
}

static struct source *find(const char *name)
{
	for (struct source *source = kept; source < kept + MOST_FILES; source++)
		if (source->name && strcmp(source->name, name) == 0)
			return source;
	return NULL;
}

static struct source *add(const char *name)
{
	struct source *source = oldest(0, NULL), *old;
	size_t size = 0;

	forget(source);
	source->name = strdup(name);
	if (!source->name)
		return NULL;
	source->text = load(name, &size);
	if (source->text && !find_lines(source, size)) {
		forget(source);
		return NULL;
	}
	bytes_kept += source->bytes;
	while (bytes_kept > MOST_KEPT && (old = oldest(1, source)))
		forget(old);
	return source;
}

const char *source_line(const char *file, uint64_t line, size_t *length)
{
	struct source *source = find(file);

	if (!source)
		source = add(file);
	if (!source)
		return NULL;
	source->used = ++look_ups;
	if (!source->text || line == 0 || line > source->lines)
		return NULL;
	*length = source->start[line] - source->start[line - 1] - 1;
	if (line == source->lines && *length == 0)
		return NULL; /* what is behind the last newline */
	if (*length > 0 && source->text[source->start[line] - 2] == '\r')
		--*length;
	return source->text + source->start[line - 1];
}
