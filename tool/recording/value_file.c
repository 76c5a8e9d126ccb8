/* SPDX-License-Identifier: MIT */
/* value_file.c - reads the data behind records, which their readers have passed over. */
#include "recording/value_text.h"

#include <string.h>
#include <unistd.h>

#include "base/regular_file.h"

void value_file_init(struct value_file *file)
{
	file->path = NULL;
	file->fd = -1;
	file->count = 0;
}

void value_file_close(struct value_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	value_file_init(file);
}

static bool is_kept(const struct value_file *file, uint64_t begin, size_t size)
{
	return begin >= file->begin && begin - file->begin <= file->count &&
	       file->count - (size_t)(begin - file->begin) >= size;
}

/* Keep what is from BEGIN on. */
static void keep(struct value_file *file, uint64_t begin)
{
	const ssize_t got = file->fd < 0 ? -1 : pread(file->fd, file->kept, sizeof(file->kept),
						      (off_t)begin);

	file->begin = begin;
	file->count = got > 0 ? (size_t)got : 0;
}

size_t value_file_read(struct value_file *file, char *path, const struct data_place *place,
		       unsigned char *bytes, size_t room)
{
	size_t size = place->size < room ? place->size : room;

	if (file->path != path) {
		value_file_close(file);
		file->path = path;
		file->fd = regular_open_part(path, NULL);
	}
	if (!is_kept(file, place->begin, size))
		keep(file, place->begin);
	if (!is_kept(file, place->begin, size))
		size = file->count < size ? file->count : size;
	memcpy(bytes, file->kept + (place->begin - file->begin), size);
	return size;
}
