/* SPDX-License-Identifier: MIT */
/* dat_file.h - reads what one task recorded, in order, past damage. */
#ifndef WCM_TOOL_DAT_FILE_H
#define WCM_TOOL_DAT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/uftrace.h"
#include "recording/depth.h"
#include "recording/value_specs.h"

/* Where the data behind a record are in its file. */
struct data_place {
	uint64_t begin;
	uint32_t size; /* bytes; 0: there are none */
	struct value_kinds kinds; /* of what kinds they are; none where that is not known */
};

/* One that has been read; struct wcm_record is what the file has. */
struct record {
	uint64_t time;    /* nanoseconds */
	uint64_t address; /* of the function; of a loss, how many were */
	uint32_t depth;   /* 0 is the outermost */
	uint8_t type;     /* enum wcm_record_type */
	struct data_place data;
};

struct dat_file {
	char *path;
	unsigned char *buffer;
	size_t room, at, end; /* of the buffer */
	uint64_t offset;      /* in the file, of what comes after the buffer */
	uint64_t size;        /* of the file, as it was found */
	uint64_t last_time;
	struct depth depth;   /* of the next call */
	const uint64_t *starts; /* when the task began another program; the caller's */
	size_t start_count, started;
	/* Of what kinds the data behind RECORD are, or NULL; and whose function it is, or NULL. */
	const struct value_kinds *(*kinds_of)(const struct dat_file *file,
					      const struct record *record);
	void *owner;
	int error;            /* errno of a failed read */
	uint64_t bad_at, bad; /* where the first bytes of no meaning are; how many */
	uint64_t backwards;   /* records that are older than the one before */
	bool cut;             /* the last record is not whole */
};

/* Read the file at PATH, which becomes FILE's, through a buffer of ROOM bytes, at
 * least 64 and a multiple of 16.  False, with errno, where it cannot be read. */
bool dat_file_open(struct dat_file *file, char *path, size_t room);
void dat_file_close(struct dat_file *file);

/* The next entry, exit or loss; their times do not fall.  False at the end. */
bool dat_file_next(struct dat_file *file, struct record *record);

#endif
