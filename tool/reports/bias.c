/* SPDX-License-Identifier: MIT */
/* bias.c - where was a module loaded, if the report does not say? */
#include "reports/bias.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, MOST_NAMESAKES = 64 };

/* The name that the symbol of FRAME has; *MEMORY is the caller's to free. */
static const char *symbol_name(const struct text_frame *frame, char **memory)
{
	static const char suffix[] = ".cold";
	const size_t length = strlen(frame->name);

	*memory = NULL;
	if (!frame->cold)
		return frame->name;
	*memory = malloc(length + sizeof(suffix));
	if (!*memory)
		return frame->name;
	memcpy(*memory, frame->name, length);
	memcpy(*memory + length, suffix, sizeof(suffix));
	return *memory;
}

static void vote(struct ballot *ballot, uint64_t bias)
{
	enum { MOST = sizeof(ballot->candidate) / sizeof(*ballot->candidate) };
	size_t i = 0;

	if (bias % PAGE != 0)
		return;
	while (i < ballot->count && ballot->candidate[i].bias != bias)
		i++;
	if (i == MOST)
		return;
	if (i == ballot->count)
		ballot->candidate[ballot->count++] = (struct candidate){ bias, 0 };
	ballot->candidate[i].votes++;
}

void ballot_add(struct ballot *ballot, struct binary *binary,
		const struct text_frame *frame)
{
	uint64_t value;
	const char *name;
	char *memory;

	if (!frame->name) {
		vote(ballot, frame->pc - frame->offset);
		return;
	}
	name = symbol_name(frame, &memory);
	for (size_t i = 0; i < MOST_NAMESAKES && binary_symbol(binary, name, i, &value);
	     i++)
		vote(ballot, frame->pc - frame->offset - value);
	free(memory);
}

bool ballot_winner(const struct ballot *ballot, uint64_t *bias)
{
	size_t most = 0, next = 0;

	for (size_t i = 0; i < ballot->count; i++) {
		const struct candidate *candidate = &ballot->candidate[i];

		if (candidate->votes > most) {
			next = most;
			most = candidate->votes;
			*bias = candidate->bias;
		} else if (candidate->votes > next) {
			next = candidate->votes;
		}
	}
	return most > next;
}

bool bias_fits(struct binary *binary, const struct text_frame *frame, uint64_t bias)
{
	uint64_t value;
	const char *name;
	char *memory;
	size_t i = 0;
	bool fits = false;

	if (!frame->name)
		return frame->pc - frame->offset == bias;
	name = symbol_name(frame, &memory);
	for (; !fits && i < MOST_NAMESAKES && binary_symbol(binary, name, i, &value); i++)
		fits = frame->pc - frame->offset - value == bias;
	free(memory);
	return fits || i == 0;
}

bool bias_unique(struct binary *binary, const struct text_frame *frame,
		 uint64_t *address)
{
	uint64_t value, other;
	const char *name;
	char *memory;
	bool unique;

	if (!frame->name) {
		*address = frame->offset;
		return frame->path != NULL;
	}
	name = symbol_name(frame, &memory);
	unique = binary_symbol(binary, name, 0, &value) &&
		 !binary_symbol(binary, name, 1, &other);
	free(memory);
	if (unique)
		*address = value + frame->offset;
	return unique;
}
