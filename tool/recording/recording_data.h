/* SPDX-License-Identifier: MIT */
/* recording_data.h - a recording that is open: its tasks, sessions and functions.
 *
 * A recording is a directory that uftrace(1) or this library wrote.
 */
#ifndef WCM_TOOL_RECORDING_DATA_H
#define WCM_TOOL_RECORDING_DATA_H

#include "base/tree.h"
#include "recording/dat_file.h"
#include "recording/value_specs.h"
#include "symbols/function_set.h"
#include "symbols/session.h"

/* value_files.c: finds the kinds of a function's values by its address, in a recording. */

/* Those of the modules of a recording, each read when it is first asked about.  All zero at
 * first. */
struct value_files {
	struct tree by_module;
	struct value_file_of **all;
	size_t count, room;
};

/* What calls of the function at OFFSET of MODULE, one of MODULES, are given, or give BACK.
 * NULL: it is not known. */
const struct value_kinds *value_files_find(struct value_files *files, struct modules *modules,
					   const struct module *module, uint64_t offset, bool back);
void value_files_free(struct value_files *files);

/* long_calls.c: leaves out the calls of a task that were too short to be shown. */

struct long_calls {
	uint64_t least;      /* nanoseconds; 0: all calls */
	struct record *held; /* entries of which it is not known yet */
	size_t count, given, room;
	bool released;       /* those held are long enough, as far as they go */
	struct record after; /* what released them */
	bool has_after;
	bool failed; /* memory was out, and the task's other calls are not passed on */
};

/* Pass on calls of LEAST nanoseconds or more. */
void long_calls_init(struct long_calls *calls, uint64_t least);
void long_calls_free(struct long_calls *calls);

/* dat_file_next() without the calls that were shorter. */
bool long_calls_next(struct long_calls *calls, struct dat_file *file,
		     struct record *record);

/* From TIME on, the task runs SESSION's program; or, where IS_TASK, another task that has got the
 * same number begins. */
struct session_use {
	uint64_t time;
	struct session *session;
	int pid, parent; /* as the task's */
	bool is_task;
};

struct task {
	int tid, pid, parent; /* parent: the process that forked, or 0 */
	size_t index;         /* among the recording's tasks */
	struct session_use *uses;
	size_t use_count, use_room, use; /* use: the one of the last event */
	uint64_t *starts;      /* of all uses but the first */
	uint32_t depth;        /* calls that were open when it was forked, if many */
	struct dat_file file;
	struct long_calls calls; /* of it */
	struct record head;   /* the next event, of a task with one */
	bool has_file;
	uint64_t last_time;   /* of the last event */
};

struct event {
	struct task *task;
	struct record record;
	const struct function *function; /* of entries and exits */
	bool new_program;     /* the task has become another program, or is another task */
	bool new_task;        /* it is the latter */
	uint64_t before;      /* the time of the event before, of this number */
};

struct recording {
	char *dir;
	char *command_line, *date, *writer, *elapsed; /* after its info; NULL: unknown */
	uint64_t begun, wall; /* when, by the clock of records and since 1970; 0: unknown */
	struct session **sessions;
	size_t session_count, session_room;
	struct tree sessions_by_id, sessions_by_start; /* the latter of each process */
	struct task **tasks;
	size_t task_count, task_room;
	struct tree tasks_by_id;
	uint64_t unended; /* calls whose ends were not told */
	uint64_t all_records; /* in all files there are, about; 0: not counted */
	uint64_t frames_left; /* that tasks may yet have from those that forked them */
	struct modules modules;
	struct function_set functions;
	struct value_specs *values; /* of what calls are given and give back; NULL: nothing */
	struct value_files value_files;
	struct task **heap; /* tasks with a head, the earliest first */
	size_t heap_count;
	uint64_t bytes, bytes_read; /* of all the files */
	bool untimed; /* times are good for the order alone */
	bool damaged;
	bool failed; /* memory was out */
};

/* The task with number TID, or NULL. */
struct task *recording_task(const struct recording *recording, int tid);

/* The name of the program that TASK ran last. */
const char *task_program(const struct task *task);

/* Lines are about NAME from now on: its folder is a temporary one, whose name says nothing.  Such a
 * recording may have no task. */
void recording_call(const char *name);
bool recording_is_apart(void);

/* Print a line about the recording in DIR to stderr. */
void recording_complain(const char *dir, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
