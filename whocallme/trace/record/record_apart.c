/* SPDX-License-Identifier: MIT */
/* record_apart.c (SAFE) - puts system calls of children that have this process's memory into the
 * recording.
 *
 * A child of vfork(2) has a file as every task has, in which the program goes on that it runs.
 * The process's windows and tracers are not the child's, so each of its few calls is appended to
 * the file by itself, with its end.  A task that has ended may have had its number.
 */
#include "trace/record/record_files.h"

#include <errno.h>
#include <sys/syscall.h>

#include "core/os/file.h"
#include "core/os/mask.h"
#include "trace/engine/gate.h"
#include "trace/names/recorded_modules.h"
#include "trace/record/ring_end.h"
#include "trace/record/sink_record.h"
#include "trace/record/task_file.h"
#include "trace/record/worded_data.h"
#include "trace/system/system_slots.h"
#include "whocallme/trace.h"

enum { WORDS = sizeof(struct wcm_record) / sizeof(uint64_t) };

/* The records of a call, each with its data behind it. */
struct both {
	uint64_t word[2 * (WORDS + WCM_RECORD_MOST_DATA)];
	size_t count;
};

static void add(struct both *both, enum wcm_record_type type, uintptr_t func, uint64_t time,
		const struct wcm_value_data *data)
{
	const uint64_t bits = wcm__record_bits(type, 0, func);

	both->word[both->count++] = time;
	both->word[both->count++] = data->count > 0 ? wcm__record_with_data(bits) : bits;
	for (size_t i = 0; i < data->count; i++)
		both->word[both->count++] = data->word[i];
}

/* The file of a task that had CHILD's number, and has ended, ends behind its last record, and so
 * do the calls that it has left open. */
static void end_namesake(int child)
{
	const int fd = wcm__recording_open_records(child, O_RDWR);
	struct wcm_record last = { .bits = wcm__record_bits(WCM_RECORD_LOST, 0, 0) };
	uint64_t end;
	int64_t size;

	if (fd < 0)
		return;
	wcm__record_abandon(child, NULL);
	size = wcm__lseek(fd, 0, SEEK_END);
	end = size > 0 ? wcm__ring_find_end(fd, child, (uint64_t)size) : 0;
	wcm__ftruncate(fd, end);
	wcm__lseek(fd, 0, SEEK_END);
	if (wcm__ring_count_open(fd, end, &last.time) > 0)
		wcm__write(fd, &last, sizeof(last));
	wcm__close(fd);
}

/* The file of CHILD, which begins by NOW unless it *IS_KNOWN; a negated errno. */
static int open_records(int child, bool *is_known, uint64_t now)
{
	if (!*is_known) {
		end_namesake(child);
		wcm__recording_add_child(child, now);
		*is_known = true;
	}
	return wcm__recording_open_records(child, O_WRONLY | O_APPEND | O_CREAT);
}

/* A call that runs a program is told of before it is made, and again where it fails. */
static bool may_run(const struct wcm_system_call *call)
{
	return call->number == SYS_execve || call->number == SYS_execveat;
}

/* What is not written whole would be taken for what comes after it. */
static void write_records(int child, bool *is_known, uint64_t begin, const struct both *both)
{
	const size_t size = both->count * sizeof(both->word[0]);
	const int fd = wcm__recording_is_here() ? open_records(child, is_known, begin) : -1;
	long written;

	if (fd < 0) {
		wcm__recording_lose(1);
		return;
	}
	written = wcm__write(fd, both->word, size);
	if (written != (long)size)
		wcm__recording_fail(written < 0 ? (int)written : -ENOSPC);
	wcm__close(fd);
}

/* In another namespace the child's number is another task's. */
void wcm__record_apart(int child, bool *is_known, struct wcm_system_call *call, uint64_t begin,
		       uint64_t now)
{
	const uintptr_t func = wcm__system_address(call->number);
	struct wcm_value_data data;
	struct wcm_unheard unheard;
	struct both both;

	if (wcm__recording.failed || !wcm__recorded_is_first(func))
		return;
	both.count = 0;
	if (!may_run(call) || call->result == WCM_SYSTEM_NEVER) {
		wcm__worded_given(&data, call);
		add(&both, WCM_RECORD_ENTRY, func, begin, &data);
	}
	if (!may_run(call) || call->result != WCM_SYSTEM_NEVER) {
		wcm__worded_back(&data, call);
		add(&both, WCM_RECORD_EXIT, func, now, &data);
	}
	unheard = wcm__mask_hush();
	write_records(child, is_known, begin, &both);
	wcm__mask_hear(unheard, true);
}
