/* SPDX-License-Identifier: MIT */
/* targets.c - random addresses to look up, and the names that nm gives them. */
#include "targets.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "clock.h"

/* Look-ups between two readings of the clock. */
enum { CHUNK = 64, MOST_CHUNKS = 4096 };

static uint64_t next_random(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state >> 11;
}

static size_t count_lines(FILE *file)
{
	size_t lines = 0;

	for (int c; (c = getc(file)) != EOF;)
		lines += c == '\n';
	rewind(file);
	return lines;
}

/* The functions of LIST, each target standing at one of its bytes. */
static struct target *read_functions(FILE *file, size_t count)
{
	struct target *function = calloc(count, sizeof(*function));
	uint64_t size;

	for (size_t i = 0; function && i < count; i++) {
		if (fscanf(file, "%" SCNx64 " %" SCNx64 " %ms",
			   &function[i].address, &size,
			   &function[i].name) != 3)
			give_up("the list of functions is damaged");
		function[i].address += next_random() % size;
	}
	return function;
}

struct target *targets_read(const char *list, size_t count)
{
	struct target *target = calloc(count, sizeof(*target)), *function;
	FILE *file = fopen(list, "r");
	size_t functions;

	if (!file || !target)
		give_up("the list of functions cannot be read");
	functions = count_lines(file);
	function = read_functions(file, functions);
	if (!function || functions == 0)
		give_up("the list of functions is empty");
	for (size_t i = 0; i < count; i++)
		target[i] = function[next_random() % functions];
	fclose(file);
	free(function);
	return target;
}

static double find_chunk(const struct target *target, uint64_t bias,
			 const char *(*find)(uint64_t address),
			 const char **found)
{
	double start = clock_ns();

	for (size_t i = 0; i < CHUNK; i++)
		found[i] = find(target[i].address + bias);
	return (clock_ns() - start) / CHUNK;
}

static size_t count_agreeing(const struct target *target, const char **found)
{
	size_t agreeing = 0;

	for (size_t i = 0; i < CHUNK; i++)
		agreeing += found[i] && strcmp(found[i], target[i].name) == 0;
	return agreeing;
}

void targets_measure(const struct target *target, size_t count, uint64_t bias,
		     const char *(*find)(uint64_t address))
{
	const double long_enough = 3e8;
	static double sample[MOST_CHUNKS];
	const char *found[CHUNK];
	double start = clock_ns();
	size_t chunks = 0, agreeing = 0;

	while (chunks < MOST_CHUNKS && (chunks + 1) * CHUNK <= count) {
		const struct target *first = target + chunks * CHUNK;

		sample[chunks++] = find_chunk(first, bias, find, found);
		agreeing += count_agreeing(first, found);
		if (clock_ns() - start > long_enough)
			break;
	}
	if (chunks == 0)
		give_up("there are too few targets");
	emit("agree", (double)agreeing / (double)(chunks * CHUNK));
	emit("find_ns", median(sample, chunks));
}
