/* SPDX-License-Identifier: MIT */
/* source.c - the text of a line, and whether it is what was compiled.
 *
 * A source may have been changed since: the MD5 of the line table tells, or the time, as long
 * as that of the program is one (reproducible builds have 1970).
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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/absolute.h"
#include "base/hash.h"
#include "format/regular.h"

enum {
	MOST_FILES = 32,
	MOST_BYTES = 8 << 20, /* of a file */
	MOST_KEPT = 48 << 20, /* of all, with what is known of their lines */
};

struct source {
	char *name; /* NULL: none is kept here */
	const char *embedded; /* the debug data that has the text, or NULL */
	int64_t changed;      /* in seconds since 1970; 0: it is no file */
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

/* Read the text of the file SOURCE, *SIZE bytes; none where there is none to be had. */
static void load(struct source *source, size_t *size)
{
	int fd = open_source(source->name);
	struct stat status;
	uint64_t bytes;

	if (fd < 0)
		return;
	if (wcm__regular_check(fd, &bytes) == 0 && bytes <= MOST_BYTES)
		source->text = malloc((size_t)bytes + 1);
	if (source->text)
		*size = read_whole(fd, source->text, (size_t)bytes);
	if (source->text && fstat(fd, &status) == 0)
		source->changed = status.st_mtime;
	close(fd);
}

/* Take the text that debug data carries: that may be closed before the next look-up. */
static void copy(struct source *source, const struct source_facts *facts, size_t *size)
{
	*size = strnlen(facts->embedded, facts->size);
	source->embedded = facts->embedded;
	source->text = *size <= MOST_BYTES ? malloc(*size + 1) : NULL;
	if (source->text)
		memcpy(source->text, facts->embedded, *size);
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

/* The debug data that the text is a copy of may be closed, and other data be in its place. */
static bool has_text(const struct source *source, const struct source_facts *facts)
{
	const size_t size = source->text ? source->start[source->lines] - 1 : 0;

	return source->text && strnlen(facts->embedded, facts->size) == size &&
	       memcmp(source->text, facts->embedded, size) == 0;
}

static struct source *find(const struct location *location)
{
	for (struct source *source = kept; source < kept + MOST_FILES; source++)
		if (source->name && source->embedded == location->facts.embedded &&
		    strcmp(source->name, location->file) == 0 &&
		    (!source->embedded || has_text(source, &location->facts)))
			return source;
	return NULL;
}

static struct source *add(const struct location *location)
{
	struct source *source = oldest(0, NULL), *old;
	size_t size = 0;

	forget(source);
	source->name = strdup(location->file);
	if (!source->name)
		return NULL;
	if (location->facts.embedded)
		copy(source, &location->facts, &size);
	else
		load(source, &size);
	if (source->text && !find_lines(source, size)) {
		forget(source);
		return NULL;
	}
	bytes_kept += source->bytes;
	while (bytes_kept > MOST_KEPT && (old = oldest(1, source)))
		forget(old);
	return source;
}

/* The file of LOCATION, or NULL. */
static struct source *source_of(const struct location *location)
{
	struct source *source = find(location);

	if (!source)
		source = add(location);
	if (source)
		source->used = ++look_ups;
	return source;
}

/* By the MD5 that the compiler has noted. */
static bool is_other(const struct source *source, const struct source_facts *facts)
{
	uint8_t sum[MD5_SIZE];

	if (!source->changed || !facts->md5)
		return false;
	md5_of(source->text, source->start[source->lines] - 1, sum);
	return memcmp(sum, facts->md5, MD5_SIZE) != 0;
}

char *source_doubt(const struct location *location)
{
	enum { A_YEAR = 366 * 24 * 3600 };
	const struct source *source = location->file ? source_of(location) : NULL;
	char *words = NULL;
	int length = 0;

	if (!source || !source->text || !source->changed)
		return NULL;
	if (is_other(source, &location->facts))
		length = asprintf(&words, "the text of %s is not shown: its MD5 is not that in "
				  "the debug data", location->file);
	else if (!location->facts.md5 && location->made > A_YEAR &&
		 source->changed > location->made)
		length = asprintf(&words, "%s was changed after the program was made: its lines "
				  "may be others", location->file);
	return length < 0 ? NULL : words;
}

const char *source_line(const struct location *location, uint64_t line, size_t *length)
{
	const struct source *source = source_of(location);

	if (!source || !source->text || line == 0 || line > source->lines ||
	    is_other(source, &location->facts))
		return NULL;
	*length = source->start[line] - source->start[line - 1] - 1;
	if (line == source->lines && *length == 0)
		return NULL; /* what is behind the last newline */
	if (*length > 0 && source->text[source->start[line] - 2] == '\r')
		--*length;
	return source->text + source->start[line - 1];
}
