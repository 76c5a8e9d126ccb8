/* SPDX-License-Identifier: MIT */
/* task_file.c (SAFE) - appends to task.txt: the tasks of a recording, and modules that come later.
 *
 * Several processes may write to one directory: a line is appended in one write, and the
 * list of tasks in the file `info` changed under the marker's lock.  Who cannot have that
 * appends the line, and leaves the list alone: whocallme reads it nowhere.
 */
#include "trace/record/task_file.h"

#include "core/modules/modules.h"
#include "core/os/file.h"
#include "core/os/self.h"
#include "format/line.h"
#include "crash/threads/tasks.h"
#include "format/uftrace.h"
#include "format/words.h"
#include "trace/engine/gate.h"
#include "trace/engine/ticks.h"
#include "trace/record/record_files.h"

/* uftrace's seconds, a point and nine digits. */
static void add_time(struct wcm_line *line, uint64_t time)
{
	struct wcm_words words;
	size_t room;
	char *text = wcm__line_room(line, &room);

	wcm__words_init(&words, text, room);
	wcm__words_text(&words, "timestamp=");
	wcm__words_seconds(&words, time);
	wcm__line_use_room(line, wcm__words_length(&words));
}

/* A record has 10 bits of the depth: of more, those who read it have to know. */
static void add_task(int fd, const char *kind, uint64_t now, const char *name,
		     int id, const char *parent_name, int parent, uint32_t depth)
{
	struct wcm_line line;

	wcm__line_init(&line, fd);
	wcm__line_text(&line, kind);
	add_time(&line, now);
	wcm__line_text(&line, name);
	wcm__line_decimal(&line, id);
	wcm__line_text(&line, parent_name);
	wcm__line_decimal(&line, parent);
	if (depth >= WCM_RECORD_DEPTHS) {
		wcm__line_text(&line, " depth=");
		wcm__line_decimal(&line, depth);
	}
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
}

void wcm__recording_add_task(int pid, int tid, uint64_t now, uint32_t depth)
{
	int fd = wcm__recording_open_file("task.txt", O_WRONLY | O_APPEND | O_CREAT);
	int lock, parent;

	if (fd < 0) {
		wcm__recording_fail(fd);
		return;
	}
	lock = wcm__recording_lock();
	/* One thread of a child is the first. */
	parent = __atomic_exchange_n(&wcm__recording.pid, pid, __ATOMIC_RELAXED);
	if (parent != pid)
		add_task(fd, "FORK ", now, " pid=", pid, " ppid=", parent, depth);
	if (parent == pid || tid != pid)
		add_task(fd, "TASK ", tid == pid ? wcm__recording.start : now,
			 " tid=", tid, " pid=", pid, 0);
	if (lock >= 0) {
		if (parent != pid)
			wcm__task_list_add(pid);
		wcm__task_list_add(tid);
	}
	wcm__recording_unlock(lock);
	wcm__close(fd);
}

/* Where it cannot be noted it stays unknown, which is what the file says. */
void wcm__recording_note_elapsed(void)
{
	uint64_t now;
	int lock;

	/* A filter of the program's may kill for a call that it needs. */
	if (wcm__task_has_asked_for_filter())
		return;
	now = wcm__ticks_ns();
	lock = wcm__recording_try_lock();
	if (lock >= 0 && now > wcm__gate.start)
		wcm__task_list_note_elapsed(now - wcm__gate.start);
	wcm__recording_unlock(lock);
}

void wcm__recording_add_child(int child, uint64_t now)
{
	const int fd = wcm__recording_open_file("task.txt", O_WRONLY | O_APPEND);
	const int lock = fd < 0 ? fd : wcm__recording_lock();

	if (fd < 0)
		return;
	add_task(fd, "FORK ", now, " pid=", child, " ppid=", wcm__recording.pid, 0);
	if (lock >= 0)
		wcm__task_list_add(child);
	wcm__recording_unlock(lock);
	wcm__close(fd);
}

/* uftrace passes over lines that it does not know. */
void wcm__recording_add_unended(uint64_t count)
{
	int fd = wcm__recording_open_file("task.txt", O_WRONLY | O_APPEND);
	struct wcm_line line;

	if (fd < 0)
		return;
	wcm__line_init(&line, fd);
	wcm__line_text(&line, "LOST pid=");
	wcm__line_decimal(&line, wcm__process_id());
	wcm__line_text(&line, " ends=");
	wcm__line_decimal(&line, (int64_t)count);
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
	wcm__close(fd);
}

static void add_build_id(struct wcm_line *line, const struct wcm_module *module)
{
	if (module->build_id_size == 0)
		return;
	wcm__line_text(line, " build-id=");
	wcm__line_bytes(line, module->build_id, module->build_id_size);
}

void wcm__recording_add_module(uint64_t now, const struct wcm_module *module)
{
	int fd = wcm__recording_open_file("task.txt", O_WRONLY | O_APPEND | O_CREAT);
	struct wcm_line line;

	if (fd < 0)
		return;
	wcm__line_init(&line, fd);
	wcm__line_text(&line, "DLOP ");
	add_time(&line, now);
	wcm__line_text(&line, " tid=");
	wcm__line_decimal(&line, wcm__thread_id());
	wcm__line_text(&line, " sid=");
	wcm__line_text(&line, wcm__recording.session);
	wcm__line_text(&line, " base=");
	wcm__line_hex(&line, module->lo, 1);
	wcm__line_text(&line, " libname=\"");
	wcm__line_name(&line, module->path);
	wcm__line_text(&line, "\"");
	add_build_id(&line, module);
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
	wcm__close(fd);
}
