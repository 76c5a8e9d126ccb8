/* SPDX-License-Identifier: MIT */
/* dat_file.c - reads what one task recorded, in order, past damage.
 *
 * Data behind a record are whole words, of a length that the file does not say: the kinds of the
 * values do, where they are known, and a record follows.  Else, and as a file may be damaged
 * anywhere, the next word that looks like a record of this task at this time is where reading goes
 * on.
 *
 * A file is open while its buffer is filled, no longer: a recording may have more
 * tasks than a process may have files.
 */
#include "recording/dat_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/regular_file.h"
#include "recording/value_specs.h"

enum {
	WORD = sizeof(uint64_t), RECORD = sizeof(struct wcm_record),
	MOST_DATA = 1024, /* uftrace's room for the arguments of a call */
};

/* More than this between two records of a task and they are none. */
#define LONGEST_PAUSE (UINT64_C(7) * 24 * 3600 * 1000000000)

/* Of a hole as large as its maker likes, which takes no room of the disk, a little is
 * left.  False: nothing is behind it, as at the file's end. */
static bool pass_hole(struct dat_file *file, int fd)
{
	enum { LEFT = 1 << 16, PAGE = 4096 };
	const off_t here = (off_t)file->offset, data = lseek(fd, here, SEEK_DATA);

	if (data > here + LEFT)
		file->offset += (uint64_t)(data - here - LEFT) & ~(uint64_t)(PAGE - 1);
	return data >= 0 || errno != ENXIO;
}

static bool read_more(struct dat_file *file)
{
	int fd = regular_open_part(file->path, NULL);
	ssize_t got = -1;

	if (fd >= 0) {
		got = !pass_hole(file, fd) ? 0 :
		      pread(fd, file->buffer + file->end, file->room - file->end,
			    (off_t)file->offset);
		file->error = got < 0 ? errno : 0;
		close(fd);
	} else {
		file->error = errno;
	}
	if (got <= 0)
		return false;
	file->end += (size_t)got;
	file->offset += (uint64_t)got;
	return true;
}

/* Whether SIZE bytes stand in the buffer; more than it has room for do not. */
static bool has(struct dat_file *file, size_t size)
{
	while (file->end - file->at < size) {
		memmove(file->buffer, file->buffer + file->at,
			file->end - file->at);
		file->end -= file->at;
		file->at = 0;
		if (!read_more(file))
			return false;
	}
	return true;
}

/* Whether a whole record does. */
static bool available(struct dat_file *file)
{
	return has(file, RECORD);
}

/* Where in the file the next record is. */
static uint64_t position(const struct dat_file *file)
{
	return file->offset - (file->end - file->at);
}

static uint64_t word(const unsigned char *bytes)
{
	uint64_t value = 0;

	for (int i = WORD - 1; i >= 0; i--)
		value = value << 8 | bytes[i];
	return value;
}

static void unpack(uint64_t time, uint64_t bits, struct record *record)
{
	record->time = time;
	record->type = wcm__record_type(bits);
	record->depth = wcm__record_depth(bits);
	record->address = wcm__record_value(bits);
	record->data = (struct data_place){ 0 };
}

/* Stricter than wcm__record_is_marked(), for words that may be anything. */
static bool is_plausible(const struct dat_file *file, uint64_t time, uint64_t data)
{
	struct record record;

	if (!wcm__record_is_marked(data) || time < file->last_time)
		return false;
	if (file->last_time && time - file->last_time > LONGEST_PAUSE)
		return false;
	unpack(time, data, &record);
	if (record.address == 0 || time == 0)
		return false;
	if (record.type == WCM_RECORD_LOST) /* the address is their number */
		return !wcm__record_has_data(data);
	return record.type == WCM_RECORD_EVENT || record.depth <= file->depth.open ||
	       file->depth.slack;
}

/* Go on at the next record that is one beyond doubt, if there is any. */
static void resynchronize(struct dat_file *file)
{
	while (available(file)) {
		const unsigned char *bytes = file->buffer + file->at;

		if (is_plausible(file, word(bytes), word(bytes + WORD)))
			return;
		file->at += WORD;
	}
}

static bool may_be_next_time(const struct dat_file *file, uint64_t time)
{
	return time >= file->last_time && time - file->last_time < LONGEST_PAUSE;
}

/* What is from START to here is no record. */
static void note_bad(struct dat_file *file, uint64_t start)
{
	if (file->bad == 0)
		file->bad_at = start;
	file->bad += position(file) - start;
}

/* Whether there is the time of a record, and not yet the rest. */
static bool is_begun(struct dat_file *file)
{
	if (!available(file) || word(file->buffer + file->at + WORD) != 0)
		return false;
	return may_be_next_time(file, word(file->buffer + file->at));
}

/* Pass over what is no record.  Nothing but zeros up to the end is what a killed
 * program leaves of the room it had made, behind a record that it was making or not, and
 * no damage. */
static void pass_over(struct dat_file *file)
{
	uint64_t start = position(file);
	bool zeros = true;

	if (is_begun(file))
		file->at += WORD;
	while (zeros && available(file)) {
		zeros = word(file->buffer + file->at) == 0;
		file->at += zeros ? WORD : 0;
	}
	if (zeros) {
		while (file->at < file->end && file->buffer[file->at] == 0)
			file->at++;
		return;
	}
	depth_lose(&file->depth, UINT64_MAX);
	resynchronize(file);
	note_bad(file, start);
}

/* How much the words at OFFSET of what is next look like the next record: 0, not; 2,
 * it is of the depth that the next call, or the end of the innermost, has. */
static int likeness(struct dat_file *file, size_t offset, uint64_t after)
{
	const unsigned char *bytes;
	struct record record;

	if (!has(file, offset + RECORD))
		return 0;
	bytes = file->buffer + file->at + offset;
	unpack(word(bytes), word(bytes + WORD), &record);
	if (record.time < after || !is_plausible(file, record.time, word(bytes + WORD)))
		return 0;
	if (record.type == WCM_RECORD_ENTRY)
		return 1 + (record.depth == file->depth.open % WCM_RECORD_DEPTHS);
	return 1 + (record.type == WCM_RECORD_EXIT && file->depth.open > 0 &&
		    record.depth == (file->depth.open - 1) % WCM_RECORD_DEPTHS);
}

/* Whether the data end here.  They may look like a time, as pointers do, and the time of
 * the record behind them like the rest of a record: the record behind is more like one,
 * and what follows them is none. */
static bool is_behind_data(struct dat_file *file)
{
	int here = likeness(file, 0, 0), next;
	const unsigned char *bytes;

	if (here == 0)
		return false;
	next = likeness(file, WORD, 0);
	if (next >= here && next > 1)
		return false;
	bytes = file->buffer + file->at;
	return here > 1 || wcm__record_has_data(word(bytes + WORD)) ||
	       !has(file, 2 * RECORD) ||
	       likeness(file, RECORD, word(file->buffer + file->at)) > 0;
}

/* Whether the bytes of WORD may be of a text. */
static bool is_text(uint64_t word)
{
	for (; word != 0; word >>= 8)
		if ((word & 0xff) < ' ')
			return false;
	return true;
}

/* The bytes of the values of KINDS that are next; 0: not all are there. */
static size_t size_of_values(struct dat_file *file, const struct value_kinds *kinds)
{
	size_t size = 0;

	for (size_t i = 0; i < kinds->count && size <= MOST_DATA; i++) {
		const struct value_spec *spec = &kinds->spec[i];

		if (value_spec_is_string(spec) && !has(file, size + VALUE_LENGTH))
			return 0;
		size += value_spec_room(spec, file->buffer + file->at + size);
	}
	size = (size + WORD - 1) / WORD * WORD;
	return size <= MOST_DATA && has(file, size) ? size : 0;
}

/* The same of what is behind a record, where that is known and a record follows, or nothing. */
static size_t size_by_kinds(struct dat_file *file, const struct value_kinds *kinds)
{
	const size_t size = kinds ? size_of_values(file, kinds) : 0;

	return size > 0 && (!has(file, size + RECORD) || likeness(file, size, 0) > 0) ? size : 0;
}

/* Pass over the data behind a record, which are at *PLACE.  The last of a file are cut short if
 * there are none, or no whole words, or a text whose length, in its first 2 bytes, says that there
 * is more, or where they end with what may be the time of another record. */
static void skip_unknown_data(struct dat_file *file, struct data_place *place)
{
	uint64_t start = position(file), end = start, length = 0;
	bool text = false;

	while (!is_behind_data(file) && has(file, WORD)) {
		uint64_t value = word(file->buffer + file->at);

		if (position(file) == start) {
			length = 2 + (value & 0xffff);
			text = value >> 56 && is_text(value >> 16);
		} else if (!has(file, RECORD) && may_be_next_time(file, value)) {
			break;
		} else {
			text = text && value >> 56 && is_text(value);
		}
		file->at += WORD;
		/* Zeros at the end are no damage: see pass_over(). */
		if (value != 0)
			end = position(file);
	}
	if (!has(file, WORD) && (position(file) == start ||
				 (text && length > position(file) - start)))
		file->cut = true;
	*place = (struct data_place){
		.begin = start,
		.size = (uint32_t)(position(file) - start < MOST_DATA ? position(file) - start :
									MOST_DATA),
	};
	if (end > start + MOST_DATA)
		note_bad(file, start + MOST_DATA);
}

static void skip_data(struct dat_file *file, struct record *record)
{
	const struct value_kinds *kinds = file->kinds_of ? file->kinds_of(file, record) : NULL;
	const size_t size = size_by_kinds(file, kinds);

	if (size == 0) {
		skip_unknown_data(file, &record->data);
	} else {
		record->data = (struct data_place){ .begin = position(file),
						    .size = (uint32_t)size };
		file->at += size;
	}
	if (kinds)
		record->data.kinds = *kinds;
}

/* Times that fall would give durations below zero. */
static void keep_order(struct dat_file *file, struct record *record)
{
	if (record->time < file->last_time) {
		record->time = file->last_time;
		file->backwards++;
	}
	file->last_time = record->time;
}

static void find_depth(struct dat_file *file, struct record *record)
{
	while (file->started < file->start_count &&
	       file->starts[file->started] <= record->time) {
		file->started++;
		depth_begin(&file->depth, 0);
	}
	if (record->type == WCM_RECORD_ENTRY)
		record->depth = depth_enter(&file->depth, record->depth);
	else if (record->type == WCM_RECORD_EXIT)
		record->depth = depth_leave(&file->depth, record->depth);
	else
		depth_lose(&file->depth, record->address);
}

bool dat_file_next(struct dat_file *file, struct record *record)
{
	while (available(file)) {
		const unsigned char *bytes = file->buffer + file->at;
		uint64_t time = word(bytes), data = word(bytes + WORD);

		if (!wcm__record_is_marked(data)) {
			pass_over(file);
			continue;
		}
		file->at += RECORD;
		unpack(time, data, record);
		if (record->type != WCM_RECORD_EVENT) {
			keep_order(file, record);
			find_depth(file, record);
		}
		if (wcm__record_has_data(data))
			skip_data(file, record);
		if (record->type != WCM_RECORD_EVENT)
			return true;
	}
	file->cut = file->cut || file->end > file->at;
	return false;
}

bool dat_file_open(struct dat_file *file, char *path, size_t room)
{
	int fd;

	*file = (struct dat_file){ .path = path, .room = room };
	depth_begin(&file->depth, 0);
	fd = regular_open_part(path, &file->size);
	if (fd < 0)
		return false;
	close(fd);
	file->buffer = malloc(room);
	return file->buffer != NULL;
}

void dat_file_close(struct dat_file *file)
{
	free(file->buffer);
	file->buffer = NULL;
	free(file->path);
	file->path = NULL;
}
