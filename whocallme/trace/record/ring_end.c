/* SPDX-License-Identifier: MIT */
/* ring_end.c (SAFE) - finds where the records of a file end, and what is open there.
 *
 * Behind the last record of a process that was killed there are zeros, up to the end of a window.
 * No record has bits that are all zero; but data behind it may be zero.  A file that was ended has
 * nothing behind its records, and a thread that runs another program has noted their end: of these
 * the last data are known.  Where a process was killed they are not, and what is behind a word that
 * is not zero is taken for none.
 */
#include "trace/record/ring_end.h"

#include <stdbool.h>
#include <stddef.h>

#include "core/arch/arch.h"
#include "core/os/file.h"
#include "core/os/memory.h"
#include "format/uftrace.h"
#include "trace/engine/ticks.h"
#include "trace/record/record_files.h"

enum {
	RECORD = sizeof(struct wcm_record), WORD = sizeof(uint64_t), CHUNK = 2048,
	MOST = WCM_RECORD_MOST_DATA * WORD,
};

_Static_assert(CHUNK > RECORD + MOST, "a record of zeros follows the last one");

/* The words of the CHUNK bytes AT an offset up to the last that is not zero, in bytes. */
static size_t used_of(int fd, uint64_t at)
{
	uint64_t word[CHUNK / WORD] = { 0 };
	size_t used = CHUNK / WORD;

	wcm__pread(fd, word, CHUNK, at);
	while (used > 0 && word[used - 1] == 0)
		used--;
	return used * WORD;
}

/* By halving, which is right because records are appended, of parts that are larger than any with
 * its data. */
static uint64_t end_of_words(int fd, uint64_t size)
{
	uint64_t lo = 0, hi = (size + CHUNK - 1) / CHUNK;

	while (lo < hi) {
		const uint64_t mid = lo + (hi - lo) / 2;

		if (used_of(fd, mid * CHUNK) > 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo > 0 ? (lo - 1) * CHUNK + used_of(fd, (lo - 1) * CHUNK) : 0;
}

/* Whether the SIZE of a file says that it was ended: a window ends with a page. */
static bool was_ended(uint64_t size)
{
	return size % WCM_LARGEST_PAGE != 0;
}

uint64_t wcm__ring_find_end(int fd, int tid, uint64_t size)
{
	const uint64_t end = end_of_words(fd, size), noted = wcm__recording_take_end(tid);

	if (noted >= end && noted <= size && noted - end <= MOST)
		return noted;
	return was_ended(size) && size - end <= MOST ? size : end;
}

/* The kernel's view of the file is that of the shared mapping: both are the same pages. */
uint64_t wcm__ring_find_more(int fd, uint64_t offset)
{
	size_t used;

	while ((used = used_of(fd, offset)) > 0)
		offset += used;
	return offset;
}

/* What ends the calls that a task has left open. */
static bool is_end(const struct wcm_record *record)
{
	return wcm__record_type(record->bits) == WCM_RECORD_LOST &&
	       wcm__record_value(record->bits) == 0;
}

/* Whether RECORD, COUNT words before the end, can be the last. */
static bool is_last(const struct wcm_record *record, unsigned count)
{
	return wcm__record_is_marked(record->bits) &&
	       (wcm__record_value(record->bits) != 0 || is_end(record)) &&
	       record->time != 0 && record->time <= wcm__ticks_ns() &&
	       wcm__record_has_data(record->bits) == (count > 0);
}

/* Whether a record without data ends at END: numbers of data are no time of this recording. */
static bool is_behind_plain(int fd, uint64_t end)
{
	struct wcm_record record = { 0 };

	if (end >= RECORD)
		wcm__pread(fd, &record, RECORD, end - RECORD);
	return is_last(&record, 0) && record.time >= wcm__recording.start;
}

/* So much that the file is not taken for one that was ended, where data may be zero. */
uint64_t wcm__ring_find_cut(int fd, int tid, uint64_t size)
{
	const uint64_t end = wcm__ring_find_end(fd, tid, size);

	if (!wcm__recording.has_data || is_behind_plain(fd, end))
		return end;
	return size - end <= MOST + WORD ? size : end + MOST + WORD;
}

/* The depth in a record is that of its function; behind an entry it is open as well. */
uint32_t wcm__ring_count_open(int fd, uint64_t end, uint64_t *time)
{
	struct wcm_record record = { 0 };

	*time = 0;
	for (unsigned count = 0; end >= RECORD + count * WORD; count++) {
		wcm__pread(fd, &record, RECORD, end - RECORD - count * WORD);
		if (count < WCM_RECORD_MOST_DATA && !is_last(&record, count))
			continue;
		*time = record.time;
		return wcm__record_depth(record.bits) +
		       (wcm__record_type(record.bits) == WCM_RECORD_ENTRY);
	}
	return 0;
}
