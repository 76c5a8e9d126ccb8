/* SPDX-License-Identifier: MIT */
/* value_data.h (SAFE) - what a call is given and gives back, as data of a recording. */
#ifndef WCM_VALUES_VALUE_DATA_H
#define WCM_VALUES_VALUE_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/os/read.h"
#include "format/uftrace.h"
#include "trace/values/prototype.h"

enum { WCM_VALUE_SPEC_ROOM = 3072 };

struct wcm_value_data {
	size_t count; /* of words */
	uint64_t word[WCM_RECORD_MOST_DATA];
};

/* Make DATA of what PASSED has for a function of CODES, in the order and the sizes that its
 * specification has.  Signal-safe. */
typedef void wcm_value_data_maker(struct wcm_value_data *data, const char *codes,
				  struct wcm_passed passed);
wcm_value_data_maker wcm__value_data_arguments, wcm__value_data_result;

/* Write what the data of a function of CODES are into TEXT: "arg1/s,fparg1/64", or "retval/d32".
 * Returns its length; 0: there are none. */
typedef size_t wcm_value_spec_maker(char text[WCM_VALUE_SPEC_ROOM], const char *codes);
wcm_value_spec_maker wcm__value_spec_arguments, wcm__value_spec_result;

/* value_moves.c: what most calls are given and give back, as data of a recording, by moves. */

enum { WCM_MOVES_MOST = 8, WCM_MOVES_STRING = 32, WCM_MOVES_SPANS = 2 };

/* A value of SIZE bytes, or a string. */
struct wcm_value_move {
	uint8_t size; /* 1, 2, 4, 8; 0: a string's address */
	bool is_vector;
	int8_t from;  /* a word of the sled's frame, or a vector's number */
};

struct wcm_value_moves {
	bool does;   /* all values are of such */
	uint8_t count;
	uint16_t most; /* words of data, at most */
	struct wcm_value_move move[WCM_MOVES_MOST];
};

/* Where values are, and the memory in which strings are read as they lie. */
struct wcm_value_source {
	const uintptr_t *frame;
	const uint64_t *vectors;
	const struct wcm_span *constants; /* WCM_MOVES_SPANS */
};

/* The moves for what a function of CODES is given, or gives back. */
void wcm__value_moves_make(struct wcm_value_moves *moves, const char *codes, bool is_result);

/* Make data, at most moves->most words, AT; they are those that wcm__value_data_*() makes.  Returns
 * how many there are; -1: that cannot be done in this way.  It calls nothing. */
int wcm__value_moves_run(const struct wcm_value_moves *moves, const struct wcm_value_source *source,
			 uint64_t *at);

#endif
