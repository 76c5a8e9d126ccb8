/* SPDX-License-Identifier: MIT */
/* value_moves.h (SAFE) - what most calls are given and give back, as data of a recording, by
 * moves. */
#ifndef WCM_VALUES_VALUE_MOVES_H
#define WCM_VALUES_VALUE_MOVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/os/read.h"

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
