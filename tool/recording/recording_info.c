/* SPDX-License-Identifier: MIT */
/* recording_info.c - of which kind is a recording, and what was recorded?
 *
 * File "info" is 40 bytes of numbers and then text, "KEY:VALUE" a line.
 */
#include "recording_open.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "regular.h"

enum {
	HEADER = 40, VERSION_AT = 8, ENDIAN_AT = 14, FEATURES_AT = 16,
	OLDEST = 3, NEWEST = 5,
	RELATIVE = 1 << 5, /* symbols are relative to their modules */
};

static const char magic[8] = "Ftrace!";

/* The text of file "info", its header in HEADER bytes before; NULL where there is
 * none.  The text may have no zero byte. */
static char *read_info(const char *dir, unsigned char *header)
{
	char *path = NULL, *text = NULL;
	size_t room = 0;
	FILE *file;

	if (asprintf(&path, "%s/info", dir) < 0)
		return NULL;
	errno = 0;
	file = regular_stream(path);
	free(path);
	if (!file)
		return NULL;
	if (fread(header, 1, HEADER, file) != HEADER ||
	    getdelim(&text, &room, '\0', file) < 0) {
		free(text);
		text = NULL;
	}
	fclose(file);
	return text;
}

static char *value_of(const char *line, const char *key)
{
	size_t length = strlen(key);

	return strncmp(line, key, length) == 0 ? strdup(line + length) : NULL;
}

static void keep(char **kept, char *value)
{
	if (!value)
		return;
	free(*kept);
	*kept = value;
}

static bool check_header(struct recording *recording, const unsigned char *header)
{
	unsigned version = header[VERSION_AT] | header[VERSION_AT + 1] << 8;

	if (memcmp(header, magic, sizeof(magic)) != 0) {
		recording_complain(recording->dir, "file info is not that of a recording; "
				   "going on without it");
		recording->damaged = true;
		return true;
	}
	if (header[ENDIAN_AT] == 2) {
		recording_complain(recording->dir, "recorded on a big-endian machine, "
				   "which cannot be read here");
		return false;
	}
	if (version < OLDEST || version > NEWEST) {
		recording_complain(recording->dir, "format %u is not known; those of "
				   "uftrace 0.9 to 0.16 are (%d to %d)",
				   version, OLDEST, NEWEST);
		return false;
	}
	recording->modules.absolute = !(header[FEATURES_AT] & RELATIVE);
	return true;
}

bool recording_read_info(struct recording *recording)
{
	unsigned char header[HEADER];
	char *text = read_info(recording->dir, header), *rest = text, *line;

	if (!text) {
		if (errno == EINVAL)
			recording_complain(recording->dir, "file info: %s; going on "
					   "without it", regular_error(errno));
		else
			recording_complain(recording->dir, "file info is missing or cut "
					   "short; going on without it");
		recording->damaged = true;
		return true;
	}
	if (!check_header(recording, header)) {
		free(text);
		return false;
	}
	while ((line = strsep(&rest, "\n"))) {
		keep(&recording->command_line, value_of(line, "cmdline:"));
		keep(&recording->date, value_of(line, "record_date:"));
		keep(&recording->writer, value_of(line, "uftrace_version:"));
	}
	free(text);
	return true;
}
