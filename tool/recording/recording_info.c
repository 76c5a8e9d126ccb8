/* SPDX-License-Identifier: MIT */
/* recording_info.c - reads the file info: the kind of a recording, and what was
 * recorded.
 */
#include "recording/recording_info.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "base/regular_file.h"
#include "format/uftrace.h"

enum { OLDEST = 3, NEWEST = 5 /* versions */ };

/* The text of file "info", behind *HEADER; NULL where there is none.  The text may have no
 * zero byte. */
static char *read_info(const char *dir, struct wcm_info_header *header)
{
	char *path = NULL, *text = NULL;
	size_t room = 0;
	FILE *file;

	if (asprintf(&path, "%s/info", dir) < 0)
		return NULL;
	errno = 0;
	file = regular_stream_part(path);
	free(path);
	if (!file)
		return NULL;
	if (fread(header, sizeof(*header), 1, file) != 1 ||
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

/* One that makes no sense is as none. */
static void read_begun(struct recording *recording, const char *line)
{
	static const char label[] = WCM_INFO_BEGUN;
	uint64_t begun, wall;

	line = number_read(number_behind(line, label), 10, UINT64_MAX, &begun);
	line = number_read(number_behind(line, ","), 10, UINT64_MAX, &wall);
	if (!line || *line || wall == 0)
		return;
	recording->begun = begun;
	recording->wall = wall;
}

static bool check_header(struct recording *recording,
			 const struct wcm_info_header *header)
{
	const unsigned version = le32toh(header->version);

	if (memcmp(header->magic, WCM_INFO_MAGIC, sizeof(header->magic)) != 0) {
		recording_complain(recording->dir, "file info is not that of a recording; "
				   "going on without it");
		recording->damaged = true;
		return true;
	}
	if (header->endian == WCM_INFO_BIG_ENDIAN) {
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
	recording->modules.absolute = !(le64toh(header->features) & WCM_FEATURE_RELATIVE);
	return true;
}

bool recording_read_info(struct recording *recording)
{
	struct wcm_info_header header;
	char *text = read_info(recording->dir, &header), *rest = text, *line;

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
	if (!check_header(recording, &header)) {
		free(text);
		return false;
	}
	if (le64toh(header.lines) & WCM_INFO_VALUES)
		recording->values = value_specs_new(recording->functions.style);
	while ((line = strsep(&rest, "\n"))) {
		if (recording->values)
			value_specs_read(recording->values, line);
		keep(&recording->command_line, value_of(line, "cmdline:"));
		keep(&recording->date, value_of(line, "record_date:"));
		keep(&recording->writer, value_of(line, "uftrace_version:"));
		keep(&recording->elapsed, value_of(line, "elapsed_time:"));
		read_begun(recording, line);
	}
	free(text);
	return true;
}
