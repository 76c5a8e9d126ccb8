/* SPDX-License-Identifier: MIT */
/* dat_file.h - reads what one task recorded, in order, past damage. */
#ifndef WCM_TOOL_DAT_FILE_H
#define WCM_TOOL_DAT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/uftrace.h"
#include "recording/value_specs.h"

/* depth.c: works out the depth of a call, of which 10 bits are recorded. */

struct depth {
	uint32_t open;  /* calls, after the last record */
	uint64_t slack; /* OPEN may be wrong by as many, either way */
};

/* A program begins.  OPEN is a guess of how many calls deep it is. */
void depth_begin(struct depth *depth, uint32_t open);

/* LOST records are missing here; 0: a program ended, and another begins. */
void depth_lose(struct depth *depth, uint64_t lost);

/* The depth of the call that is entered, or left, 0 being the outermost; the record
 * says that it is BITS, below WCM_RECORD_DEPTHS, of which it is that modulo.  Each record is told
 * once, in order.  Calls may end without a record, but begin with one. */
uint32_t depth_enter(struct depth *depth, uint32_t bits);
uint32_t depth_leave(struct depth *depth, uint32_t bits);

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
