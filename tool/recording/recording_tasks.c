/* SPDX-License-Identifier: MIT */
/* recording_tasks.c - reads task.txt: the tasks and sessions of a recording.
 *
 * task.txt has a line for each program that started (SESS), each task (TASK: a thread,
 * or a process after exec; FORK: a new process) and each library that was opened
 * later (DLOP):
 *
 *	SESS timestamp=1.000000001 pid=7 sid=0123456789abcdef exename="/bin/prog"
 *	TASK timestamp=1.000000002 tid=7 pid=7
 *	FORK timestamp=1.000000003 pid=9 ppid=7
 *	DLOP timestamp=1.000000004 tid=7 sid=... base=7f0000000000 libname="lib.so"
 *
 * Before uftrace 0.8, SESS had the process as "tid=7".
 *
 * Some fields are not uftrace's: DLOP has "build-id=0123..." and, for addresses.c, "end=";
 * where a process forked many calls deep, FORK has "depth=5000".  Nor is the line
 *
 *	LOST pid=7 ends=12
 *
 * by which a process says how many of its calls have no end.
 */
#include "recording/recording_reader.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/number.h"
#include "base/slurp.h"

/* The text of KEY's value in LINE, or NULL. */
static const char *value(const char *line, const char *key)
{
	size_t length = strlen(key);

	for (; *line; line += strcspn(line, " "), line += *line == ' ')
		if (strncmp(line, key, length) == 0 && line[length] == '=')
			return line + length + 1;
	return NULL;
}

static int number(const char *line, const char *key)
{
	uint64_t found;

	number_read(value(line, key), 10, INT32_MAX, &found);
	return (int)found;
}

/* "SECONDS.NANOSECONDS", the latter with 9 digits. */
static uint64_t timestamp(const char *line)
{
	enum { SECOND = 1000000000 };
	const char *text = value(line, "timestamp");
	uint64_t seconds, part;

	text = number_read(text, 10, UINT64_MAX / SECOND - 1, &seconds);
	number_read(number_behind(text, "."), 10, SECOND - 1, &part);
	return seconds * SECOND + part;
}

/* What stands in quotes, or up to a space, the caller's to free. */
static char *word(const char *line, const char *key)
{
	const char *text = value(line, key);

	if (!text)
		return NULL;
	if (*text == '"')
		return strndup(text + 1, strcspn(text + 1, "\""));
	return strndup(text, strcspn(text, " "));
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_tid(const void *left, const void *right)
{
	const struct task *a = left, *b = right;

	return compare((uint64_t)a->tid, (uint64_t)b->tid);
}

static int by_id(const void *left, const void *right)
{
	const struct session *a = left, *b = right;

	return strcmp(a->id, b->id);
}

/* Of each process, the sessions that begin at one time in the order of their lines. */
static int by_start(const void *left, const void *right)
{
	const struct session *a = left, *b = right;
	int order = compare((uint64_t)a->pid, (uint64_t)b->pid);

	order = order ? order : compare(a->start, b->start);
	return order ? order : compare(a->number, b->number);
}

/* The last session of process PID that had begun by TIME. */
static struct session *session_of(const struct recording *recording, int pid,
				  uint64_t time)
{
	const struct session key = { .pid = pid, .start = time, .number = SIZE_MAX };
	struct session *found = tree_up_to(&recording->sessions_by_start, &key);

	return found && found->pid == pid ? found : NULL;
}

static struct session *session_by_id(const struct recording *recording, char *id)
{
	const struct session key = { .id = id };

	return tree_find(&recording->sessions_by_id, &key);
}

static void read_map(struct recording *recording, struct session *session)
{
	const struct session *same = session_by_id(recording, session->id);

	if (same) {
		session_share_map(session, same);
	} else if (!session_read_map(session, &recording->modules)) {
		recording_complain(recording->dir, "sid-%s.map cannot be read; "
				   "its functions have no names", session->id);
		recording->damaged = true;
	}
}

/* ID and PROGRAM become the session's. */
static struct session *add_session(struct recording *recording, char *id,
				   char *program)
{
	struct session *session = calloc(1, sizeof(*session)), **more;

	more = grow(recording->sessions, recording->session_count,
		    &recording->session_room, sizeof(*more));
	if (more)
		recording->sessions = more;
	if (!session || !more || !id) {
		free(session);
		free(id);
		free(program);
		return NULL;
	}
	session->id = id;
	session->program = program;
	session->number = recording->session_count;
	more[recording->session_count++] = session;
	read_map(recording, session);
	if (!tree_add(&recording->sessions_by_id, session))
		recording->failed = true;
	return session;
}

static struct task *add_task(struct recording *recording, int tid)
{
	struct task *task = calloc(1, sizeof(*task)), **more;

	more = grow(recording->tasks, recording->task_count, &recording->task_room,
		    sizeof(*more));
	if (more)
		recording->tasks = more;
	if (task)
		task->tid = tid;
	if (!task || !more || !tree_add(&recording->tasks_by_id, task)) {
		free(task);
		return NULL;
	}
	task->index = recording->task_count;
	more[recording->task_count++] = task;
	return task;
}

static void use_session(struct task *task, const struct session_use *use)
{
	struct session_use *more;

	if (!use->session)
		return;
	more = grow(task->uses, task->use_count, &task->use_room, sizeof(*more));
	if (!more)
		return;
	task->uses = more;
	more[task->use_count++] = *use;
}

/* False, as of the other lines: it lacks what it is there for. */
static bool read_session(struct recording *recording, const char *line)
{
	struct session *session = add_session(recording, word(line, "sid"),
					      word(line, "exename"));

	if (!session)
		return false;
	session->pid = number(line, value(line, "pid") ? "pid" : "tid");
	session->start = timestamp(line);
	if (!tree_add(&recording->sessions_by_start, session))
		recording->failed = true;
	return session->pid > 0;
}

/* A task whose own process has no session has that of the process that forked.  Another line is of
 * a program that it runs, which has the number of the process, or of a later task. */
static bool read_task(struct recording *recording, const char *line, bool fork)
{
	int tid = number(line, fork ? "pid" : "tid");
	int parent = number(line, fork ? "ppid" : "pid"), depth;
	struct session_use use = { .time = timestamp(line) };
	struct task *task = recording_task(recording, tid);
	struct task *leader = recording_task(recording, parent);

	if (tid <= 0)
		return false;
	use.session = session_of(recording, parent, use.time);
	use.is_task = !task || fork || tid != parent;
	if (!use.session && use.is_task && leader && leader->use_count)
		use.session = leader->uses[leader->use_count - 1].session;
	use.pid = fork || parent <= 0 ? tid : parent;
	use.parent = fork ? parent : 0;
	if (!task) {
		task = add_task(recording, tid);
		if (!task)
			return false;
		task->pid = use.pid;
		task->parent = use.parent;
		depth = number(line, "depth");
		task->depth = depth > 0 ? (uint32_t)depth : 0;
	}
	use_session(task, &use);
	return true;
}

static bool read_opened(struct recording *recording, const char *line)
{
	const char *base = value(line, "base"), *end = value(line, "end");
	char *id = word(line, "sid"), *path = word(line, "libname");
	char *build_id = word(line, "build-id");
	struct session *session = id ? session_by_id(recording, id) : NULL;
	uint64_t from, to = UINT64_MAX;
	const bool known = number_read(base, 16, UINT64_MAX, &from) && session && path &&
			   (!end || number_read(end, 16, UINT64_MAX, &to));
	char none[] = "";

	if (known)
		session_add_opened(session, &recording->modules,
				   &(struct opened){
					   .time = timestamp(line),
					   .base = from, .end = to },
				   path, build_id ? build_id : none);
	free(build_id);
	free(id);
	free(path);
	return known;
}

/* Calls whose ends nobody could tell of. */
static bool read_lost(struct recording *recording, const char *line)
{
	uint64_t ends;
	const bool known = number_read(value(line, "ends"), 10, UINT64_MAX, &ends);

	recording->unended += ends;
	return known;
}

/* False: it says nothing that is known. */
static bool read_line(struct recording *recording, const char *line)
{
	if (strncmp(line, "SESS ", 5) == 0)
		return read_session(recording, line);
	if (strncmp(line, "TASK ", 5) == 0)
		return read_task(recording, line, false);
	if (strncmp(line, "FORK ", 5) == 0)
		return read_task(recording, line, true);
	if (strncmp(line, "DLOP ", 5) == 0)
		return read_opened(recording, line);
	if (strncmp(line, "LOST ", 5) == 0)
		return read_lost(recording, line);
	return *line == '\0';
}

static void read_lines(struct recording *recording, char *text)
{
	size_t number = 0, unknown = 0, first = 0;
	char *rest = text, *line;

	while ((line = strsep(&rest, "\n"))) {
		number++;
		if (read_line(recording, line))
			continue;
		first = unknown++ == 0 ? number : first;
	}
	if (unknown == 0)
		return;
	recording_complain(recording->dir, "task.txt: line %zu says nothing that is "
			   "known; %zu such in all", first, unknown);
	recording->damaged = true;
}

/* The id in a session's file name, the caller's to free, or NULL. */
static char *id_in(const char *name)
{
	size_t length = strlen(name);

	if (length <= 8 || strncmp(name, "sid-", 4) != 0 ||
	    strcmp(name + length - 4, ".map") != 0)
		return NULL;
	return strndup(name + 4, length - 8);
}

/* Without task.txt, all programs there are may be anybody's. */
static void find_sessions(struct recording *recording)
{
	DIR *folder = opendir(recording->dir);
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		char *id = id_in(entry->d_name);

		if (id)
			add_session(recording, id, NULL);
	}
	if (folder)
		closedir(folder);
}

/* Add the tasks that have a file and no line. */
static void find_tasks(struct recording *recording)
{
	DIR *folder = opendir(recording->dir);
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		struct task *task;
		uint64_t tid;
		const char *end = number_read(entry->d_name, 10, INT32_MAX, &tid);

		if (tid == 0 || strcmp(end, ".dat") != 0 ||
		    recording_task(recording, (int)tid))
			continue;
		task = add_task(recording, (int)tid);
		if (!task)
			break;
		task->pid = (int)tid;
		if (recording->session_count)
			use_session(task, &(struct session_use){
						  .session = recording->sessions[0],
						  .pid = (int)tid });
	}
	if (folder)
		closedir(folder);
}

void recording_read_tasks(struct recording *recording)
{
	char *text = slurp(recording->dir, "task.txt");

	recording->tasks_by_id.compare = by_tid;
	recording->sessions_by_id.compare = by_id;
	recording->sessions_by_start.compare = by_start;
	read_lines(recording, text);
	if (recording->unended)
		recording_complain(recording->dir, "%" PRIu64 " calls were traced without their "
				   "ends: how long they took is not known",
				   recording->unended);
	for (size_t i = 0; i < recording->session_count; i++)
		session_sort_opened(recording->sessions[i]);
	free(text);
	if (recording->session_count == 0) {
		recording_complain(recording->dir, "task.txt is missing or names no "
				   "program; taking what files there are");
		recording->damaged = true;
		find_sessions(recording);
	}
	find_tasks(recording);
}
