/* SPDX-License-Identifier: MIT */
/* value_file.h - reads the data behind records, which their readers have passed over. */
#ifndef WCM_TOOL_VALUE_FILE_H
#define WCM_TOOL_VALUE_FILE_H

#include <stddef.h>

#include "recording/dat_file.h"

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

#endif
