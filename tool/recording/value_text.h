/* SPDX-License-Identifier: MIT */
/* value_text.h - writes what calls were given and gave back, as uftrace or the log does. */
#ifndef WCM_TOOL_VALUE_TEXT_H
#define WCM_TOOL_VALUE_TEXT_H

#include <stddef.h>
#include <stdio.h>

#include "recording/calls.h"
#include "recording/dat_file.h"

/* value_file.c: reads the data behind records, which their readers have passed over. */

/* One file is open at a time, and a part of it is kept: what is asked for is mostly near. */
struct value_file {
	char *path; /* of the open one; the caller's */
	int fd;
	uint64_t begin;
	size_t count; /* bytes from there that are kept */
	unsigned char kept[1 << 14];
};

void value_file_init(struct value_file *file);
void value_file_close(struct value_file *file);

/* What is at PLACE of the file at PATH, up to ROOM bytes; returns how many. */
size_t value_file_read(struct value_file *file, char *path, const struct data_place *place,
		       unsigned char *bytes, size_t room);

/* What a call was given, or gave back. */
struct call_values {
	struct task *task;
	struct data_place place;
	uint64_t more; /* where the data of the call's end are, with which words go on; or 0 */
	bool is_back;
};

static inline struct call_values call_given(const struct call *call)
{
	const uint64_t end = call->back.size > 0 ? call->back.begin : 0;

	return (struct call_values){ call->task, call->frame->given,
				     call->kind == CALL_LEAVE ? end : call->frame->end_data,
				     false };
}

static inline struct call_values call_back(const struct call *call)
{
	return (struct call_values){ call->task, call->back, 0, true };
}

/* Whether they are words, which go on in the data of the call's end. */
static inline bool call_values_go_on(const struct call_values *values)
{
	const char *codes = values->place.kinds.codes;

	return codes && *codes == 'w' && values->more != 0;
}

struct value_text {
	struct recording *recording;
	struct value_file file;
};

void value_text_init(struct value_text *text, struct recording *recording);
void value_text_close(struct value_text *text);

/* Write BEFORE, and VALUES: 3, "words".  False, and nothing is written, where their kinds are not
 * known. */
bool value_text_put(struct value_text *text, FILE *to, const char *before,
		    const struct call_values *values);

#endif
