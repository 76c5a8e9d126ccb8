/* SPDX-License-Identifier: MIT */
/* recording_data.c - a recording that is open, and the line about what is wrong with it. */
#include "recording/recording_data.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/complain.h"
#include "base/escape.h"

static const char *apart; /* NULL: a recording has the name of its folder */

void recording_call(const char *name)
{
	apart = name;
}

bool recording_is_apart(void)
{
	return apart != NULL;
}

void recording_complain(const char *dir, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	complain_begin();
	escape_text(stderr, apart ? apart : dir);
	fputs(": ", stderr);
	complain_rest(format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
}

struct task *recording_task(const struct recording *recording, int tid)
{
	const struct task key = { .tid = tid };

	return tree_find(&recording->tasks_by_id, &key);
}

const char *task_program(const struct task *task)
{
	const char *program = task->use_count ?
		task->uses[task->use_count - 1].session->program : NULL;
	const char *slash = program ? strrchr(program, '/') : NULL;

	return slash ? slash + 1 : program ? program : "?";
}
