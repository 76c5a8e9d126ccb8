/* SPDX-License-Identifier: MIT */
/* maps.c (SAFE) - reads what this process has mapped, from /proc/self/maps (proc(5)).
 *
 *	lo-hi permissions offset device inode   path
 */
#include "core/os/maps.h"

#include <stddef.h>

#include "core/os/clock.h"
#include "core/os/proc_file.h"

/* Where a field has ended, and the byte that ended it: -1 with the file. */
static int read_hex(struct wcm_proc_file *file, uint64_t *value)
{
	int c;

	for (*value = 0;; *value = *value << 4 | (unsigned)c) {
		c = wcm__proc_next(file);
		if (c >= '0' && c <= '9')
			c -= '0';
		else if (c >= 'a' && c <= 'f')
			c -= 'a' - 10;
		else
			return c;
	}
}

static int read_decimal(struct wcm_proc_file *file, uint64_t *value)
{
	int c;

	for (*value = 0; (c = wcm__proc_next(file)) >= '0' && c <= '9';)
		*value = *value * 10 + (unsigned)(c - '0');
	return c;
}

/* The field up to the next space or the line's end; what TEXT, of SIZE bytes, has
 * no room for is dropped. */
static int read_text(struct wcm_proc_file *file, char *text, size_t size)
{
	size_t length = 0;
	int c;

	while ((c = wcm__proc_next(file)) >= 0 && c != ' ' && c != '\n')
		if (length + 1 < size)
			text[length++] = (char)c;
	text[length] = '\0';
	return c;
}

/* The rest of the line, which may have spaces in it, less those before it. */
static int read_path(struct wcm_proc_file *file, char *path, size_t size)
{
	size_t length = 0;
	int c;

	while ((c = wcm__proc_next(file)) >= 0 && c != '\n')
		if ((c != ' ' || length > 0) && length + 1 < size)
			path[length++] = (char)c;
	path[length] = '\0';
	return c;
}

/* False at the end of the file, or of a line that is none.  The path is at PATH, of ROOM
 * bytes. */
static bool read_mapping(struct wcm_proc_file *file, struct wcm_mapping *mapping, char *path,
			 size_t room)
{
	uint64_t lo, hi;
	char skipped[2];

	path[0] = '\0';
	if (read_hex(file, &lo) != '-' || read_hex(file, &hi) != ' ' ||
	    read_text(file, mapping->permissions,
		      sizeof(mapping->permissions)) != ' ' ||
	    read_hex(file, &mapping->offset) != ' ' ||
	    read_text(file, skipped, sizeof(skipped)) != ' ')
		return false;
	mapping->lo = (uintptr_t)lo;
	mapping->hi = (uintptr_t)hi;
	switch (read_decimal(file, &mapping->inode)) {
	case ' ':
		return read_path(file, path, room) == '\n';
	case '\n':
		return true;
	}
	return false;
}

bool wcm__maps_visit(uint64_t deadline, wcm_mapping_visitor *visit, void *data)
{
	enum { LINES_A_LOOK = 64 }; /* at the clock */
	static struct wcm_proc_file file;
	static struct wcm_mapping mapping;
	size_t lines = 0;
	bool in_time = true;

	if (!wcm__proc_open(&file, deadline, WCM_PROC("maps")))
		return false;
	while (in_time &&
	       read_mapping(&file, &mapping, mapping.path, sizeof(mapping.path)) &&
	       visit(&mapping, data))
		if (++lines % LINES_A_LOOK == 0)
			in_time = wcm__clock_ns() < deadline;
	wcm__proc_close(&file);
	return in_time && !file.is_late && lines > 0;
}

bool wcm__maps_open(struct wcm_maps *maps)
{
	enum { SECOND_NS = 1000000000 };

	maps->mapping.hi = 0;
	return wcm__proc_open(&maps->file, wcm__clock_ns() + SECOND_NS, WCM_PROC("maps"));
}

void wcm__maps_close(struct wcm_maps *maps)
{
	wcm__proc_close(&maps->file);
}

bool wcm__maps_next(struct wcm_maps *maps)
{
	return read_mapping(&maps->file, &maps->mapping, maps->path, sizeof(maps->path));
}

bool wcm__maps_seek(struct wcm_maps *maps, uintptr_t address)
{
	while (maps->mapping.hi <= address)
		if (!wcm__maps_next(maps))
			return false;
	return maps->mapping.lo <= address;
}
