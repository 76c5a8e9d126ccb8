/* SPDX-License-Identifier: MIT */
/* recording_reader.c - opens a recording and gives the events of all its tasks by time.
 *
 * Each task's file is in order already: the earliest of their next events is the next
 * of all.  A heap of tasks finds it.
 */
#include "recording/recording_reader.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"
#include "base/regular_file.h"
#include "format/uftrace.h"
#include "recording/recording_data.h"

/* Reads the file info: the kind of a recording, and what was
 * recorded. */

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

/* Read file "info".  False, after a line on stderr, where the recording is of a kind
 * that cannot be read. */
static bool recording_read_info(struct recording *recording)
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

/* Calls that forked tasks take over, beyond one for each record. */
enum { MOST_FRAMES = 1 << 22 };

/* Of two tasks at one time, the first in task.txt is first. */
static bool is_before(const struct task *a, const struct task *b)
{
	return a->head.time != b->head.time ? a->head.time < b->head.time :
					      a->index < b->index;
}

/* Let the task at the heap's top sink to where it belongs. */
static void sink(struct recording *recording, size_t at)
{
	struct task **heap = recording->heap, *task = heap[at];
	size_t child;

	while ((child = 2 * at + 1) < recording->heap_count) {
		if (child + 1 < recording->heap_count &&
		    is_before(heap[child + 1], heap[child]))
			child++;
		if (!is_before(heap[child], task))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = task;
}

static bool is_wanted(const struct recording_options *options, int tid)
{
	for (size_t i = 0; i < options->tid_count; i++)
		if (options->tids[i] == tid)
			return true;
	return options->tids == NULL;
}

/* All buffers together take 64 MiB at most, until there are so many tasks that the
 * smallest do not fit in. */
static size_t buffer_room(size_t tasks)
{
	enum { ALL = 1 << 26, LARGEST = 1 << 17, SMALLEST = 1 << 12 };
	size_t room = ALL / (tasks ? tasks : 1) & ~(size_t)15;

	return room > LARGEST ? LARGEST : room < SMALLEST ? SMALLEST : room;
}

/* The caller's to free, or NULL. */
static char *path_of(const struct recording *recording, const struct task *task)
{
	char *path = NULL;

	return asprintf(&path, "%s/%d.dat", recording->dir, task->tid) < 0 ? NULL : path;
}

/* Which of TASK's programs it ran at TIME, which is not before its last event's. */
static size_t use_at(const struct task *task, uint64_t time)
{
	size_t use = task->use;

	while (use + 1 < task->use_count && task->uses[use + 1].time <= time)
		use++;
	return use;
}

/* Of what kinds the data are behind RECORD, of FUNCTION. */
static const struct value_kinds *kinds_at(struct recording *recording,
					  const struct session *session,
					  const struct record *record,
					  const struct function *function)
{
	const bool back = record->type == WCM_RECORD_EXIT;
	uint64_t offset;
	const struct module *module = session_module_at(session, record->address, &offset);
	const struct value_kinds *kinds =
		module ? value_files_find(&recording->value_files, &recording->modules, module,
					  offset, back) : NULL;

	return function ? value_specs_find(recording->values, function, back, kinds) : kinds;
}

/* A task's next record is read before the others' are told of: what libraries are open at its time
 * is not asked for.  Calls of a profiler have addresses behind their functions' beginnings. */
static const struct value_kinds *kinds_of(const struct dat_file *file,
					  const struct record *record)
{
	struct recording *recording = file->owner;
	const struct task *task =
		(const struct task *)((const char *)file - offsetof(struct task, file));
	const struct session *session;

	if (!recording->values || task->use_count == 0)
		return NULL;
	session = task->uses[use_at(task, record->time)].session;
	return kinds_at(recording, session, record,
			session_function_around(session, &recording->functions,
						record->address));
}

/* A function of which nothing is known but that there may be values has none in its record. */
static bool is_given_unknown(const struct value_kinds *kinds)
{
	return kinds && kinds->codes && strcmp(kinds->codes, ".") == 0;
}

/* The kinds of EVENT's data, if its library was not known to be there when they were read. */
static void find_kinds(struct recording *recording, struct session *session, struct event *event)
{
	struct data_place *data = &event->record.data;
	const struct value_kinds *kinds;

	if (!recording->values || data->kinds.count > 0 ||
	    (data->size == 0 && event->record.type != WCM_RECORD_ENTRY))
		return;
	kinds = kinds_at(recording, session, &event->record, event->function);
	if (kinds && (data->size > 0 || is_given_unknown(kinds)))
		data->kinds = *kinds;
}

static void open_file(struct recording *recording, struct task *task, size_t room)
{
	char *path = path_of(recording, task);

	if (!path)
		return;
	task->has_file = dat_file_open(&task->file, path, room);
	if (task->has_file) {
		task->file.kinds_of = kinds_of;
		task->file.owner = recording;
		recording->bytes += task->file.size;
		return;
	}
	/* A task that never called anything has none. */
	if (errno != ENOENT) {
		recording_complain(recording->dir, "%d.dat: %s", task->tid,
				   regular_error(errno));
		recording->damaged = true;
	}
	dat_file_close(&task->file);
}

/* What is written of a file, holes left out. */
static uint64_t bytes_of(const struct stat *status)
{
	enum { BLOCK = 512, INLINE = 4096 };
	const uint64_t size = (uint64_t)status->st_size;
	const uint64_t written = (uint64_t)status->st_blocks * BLOCK + INLINE;

	return size < written ? size : written;
}

static void count_records(struct recording *recording)
{
	enum { RECORD = 16 };
	uint64_t bytes = RECORD;

	for (size_t i = 0; i < recording->task_count; i++) {
		char *path = path_of(recording, recording->tasks[i]);
		struct stat status;

		if (path && stat(path, &status) == 0)
			bytes += bytes_of(&status);
		free(path);
	}
	recording->all_records = bytes / RECORD;
	recording->frames_left = recording->all_records + MOST_FRAMES;
}

/* Whether there are as many records as calls are said to be open in TASK when it was
 * forked: of those that made it, or others; and of all tasks they are not too many. */
static bool can_be_so_deep(struct recording *recording, const struct task *task)
{
	if (!recording->all_records)
		count_records(recording);
	if (task->depth >= recording->all_records ||
	    task->depth > recording->frames_left)
		return false;
	recording->frames_left -= task->depth;
	return true;
}

/* Have the depths in the task's file be those of its calls. */
static void begin_depth(struct recording *recording, struct task *task)
{
	if (task->depth && can_be_so_deep(recording, task))
		depth_begin(&task->file.depth, task->depth);
	if (task->use_count < 2)
		return;
	task->starts = calloc(task->use_count - 1, sizeof(*task->starts));
	if (!task->starts) {
		recording->failed = true;
		return;
	}
	for (size_t i = 1; i < task->use_count; i++)
		task->starts[i - 1] = task->uses[i].time;
	task->file.starts = task->starts;
	task->file.start_count = task->use_count - 1;
}

static bool open_files(struct recording *recording,
		       const struct recording_options *options)
{
	size_t room = buffer_room(recording->task_count), wanted = 0;

	recording->heap = calloc(recording->task_count + 1, sizeof(struct task *));
	if (!recording->heap)
		return false;
	for (size_t i = 0; i < recording->task_count; i++) {
		struct task *task = recording->tasks[i];

		if (!is_wanted(options, task->tid))
			continue;
		wanted++;
		open_file(recording, task, room);
		if (task->has_file && task->use_count == 0 && recording->session_count) {
			recording_complain(recording->dir, "no program is known of task "
					   "%d; its functions have no names", task->tid);
			recording->damaged = true;
		}
		long_calls_init(&task->calls, options->least);
		begin_depth(recording, task);
		if (task->has_file &&
		    long_calls_next(&task->calls, &task->file, &task->head))
			recording->heap[recording->heap_count++] = task;
	}
	for (size_t at = recording->heap_count; at-- > 0;)
		sink(recording, at);
	if (wanted == 0)
		recording_complain(recording->dir, "no such task");
	return wanted > 0;
}

static bool is_directory(const char *dir)
{
	struct stat status;

	if (stat(dir, &status) == 0) {
		if (S_ISDIR(status.st_mode))
			return true;
		if (access(dir, R_OK) == 0)
			errno = ENOTDIR;
	}
	recording_complain(dir, "%s; make a recording with \"whocallme trace --record "
			   "DIR -- PROGRAM\" or uftrace record", strerror(errno));
	return false;
}

struct recording *recording_open(const char *dir,
				 const struct recording_options *options)
{
	struct recording *recording;

	if (!is_directory(dir))
		return NULL;
	recording = calloc(1, sizeof(*recording));
	if (!recording)
		return NULL;
	recording->dir = strdup(dir);
	recording->untimed = options->untimed;
	recording->modules.dir = recording->dir;
	function_set_init(&recording->functions, options->style);
	if (recording->dir && recording_read_info(recording)) {
		recording_read_tasks(recording);
		if (recording->task_count == 0 && recording_is_apart())
			return recording;
		if (recording->task_count == 0)
			recording_complain(dir, "no recording: it has no task");
		else if (open_files(recording, options))
			return recording;
	}
	recording_close(recording);
	return NULL;
}

static void say_damage(struct recording *recording, const struct task *task)
{
	const struct dat_file *file = &task->file;
	const char *dir = recording->dir;

	if (file->error)
		recording_complain(dir, "%d.dat: %s", task->tid, strerror(file->error));
	if (file->bad)
		recording_complain(dir, "%d.dat: %" PRIu64 " bytes from offset %" PRIu64
				   " on are no records; passed over", task->tid,
				   file->bad, file->bad_at);
	if (file->backwards)
		recording_complain(dir, "%d.dat: %" PRIu64 " records go back in time; "
				   "taken as late as those before", task->tid,
				   file->backwards);
	if (file->cut)
		recording_complain(dir, "%d.dat: cut short within a record", task->tid);
	if (file->error || file->bad || file->backwards || file->cut)
		recording->damaged = true;
}

static void say_all_damage(struct recording *recording)
{
	for (size_t i = 0; i < recording->task_count; i++)
		if (recording->tasks[i]->has_file)
			say_damage(recording, recording->tasks[i]);
}

/* Take the earliest task's event off. */
static void advance(struct recording *recording)
{
	struct task *task = recording->heap[0];
	uint64_t offset = task->file.offset;
	bool more = long_calls_next(&task->calls, &task->file, &task->head);

	recording->bytes_read += task->file.offset - offset;
	if (!more) {
		recording->failed = recording->failed || task->calls.failed;
		recording->heap[0] = recording->heap[--recording->heap_count];
		free(task->file.buffer);
		task->file.buffer = NULL;
		if (recording->heap_count == 0) {
			say_all_damage(recording);
			return;
		}
	}
	sink(recording, 0);
}

/* Where several tasks of one number have recorded nothing meanwhile, EVENT is of the last. */
static struct session *current_session(struct task *task, struct event *event)
{
	const size_t use = use_at(task, event->record.time);

	for (size_t i = task->use + 1; i <= use; i++)
		event->new_task |= task->uses[i].is_task;
	event->new_program = use != task->use;
	if (event->new_task) {
		task->pid = task->uses[use].pid;
		task->parent = task->uses[use].parent;
	}
	task->use = use;
	return task->use_count > 0 ? task->uses[use].session : NULL;
}

/* What all events of one are said to have happened at, in nanoseconds. */
static const uint64_t untimed = 1000000000;

bool recording_next(struct recording *recording, struct event *event)
{
	struct session *session;
	struct task *task;

	if (recording->heap_count == 0)
		return false;
	task = recording->heap[0];
	*event = (struct event){ .task = task, .record = task->head, .before = task->last_time };
	task->last_time = task->head.time;
	session = current_session(task, event);
	if (event->record.type == WCM_RECORD_LOST)
		event->function = NULL;
	else if (session)
		event->function = session_find(session, &recording->functions,
					       event->record.time,
					       event->record.address);
	else
		event->function = function_set_unknown(&recording->functions,
						    event->record.address);
	if (session && event->function)
		find_kinds(recording, session, event);
	if (recording->untimed)
		event->record.time = task->last_time = untimed;
	advance(recording);
	return true;
}

void recording_close(struct recording *recording)
{
	for (size_t i = 0; i < recording->task_count; i++) {
		dat_file_close(&recording->tasks[i]->file);
		long_calls_free(&recording->tasks[i]->calls);
		free(recording->tasks[i]->uses);
		free(recording->tasks[i]->starts);
		free(recording->tasks[i]);
	}
	for (size_t i = 0; i < recording->session_count; i++) {
		session_free(recording->sessions[i]);
		free(recording->sessions[i]);
	}
	modules_free(&recording->modules);
	value_specs_free(recording->values);
	value_files_free(&recording->value_files);
	function_set_free(&recording->functions);
	tree_free(&recording->tasks_by_id);
	tree_free(&recording->sessions_by_id);
	tree_free(&recording->sessions_by_start);
	free(recording->sessions);
	free(recording->tasks);
	free(recording->heap);
	free(recording->command_line);
	free(recording->date);
	free(recording->writer);
	free(recording->elapsed);
	free(recording->dir);
	free(recording);
}
