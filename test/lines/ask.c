/* SPDX-License-Identifier: MIT */
/* ask.c - ask tool/debug/binary.h alone.
 *
 * Each line PATH+0xADDR of stdin is answered as whocallme/lines/dialogue.h has it.
 * Options: -d FOLDERS, where debug files are; -t, say how long it took.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "debug/binary.h"

static void print_places(const struct places *places)
{
	for (size_t i = 0; i < places->count; i++) {
		const struct place *place = &places->place[i];

		printf("%s\n%s:%u:%u\n",
		       place->function ? place->function : "??",
		       place->file ? place->file : "??", place->line,
		       place->column);
	}
	putchar('\n');
}

/* The bytes of the hexadecimal digits in TEXT, at most MOST. */
static size_t read_bytes(const char *text, uint8_t *bytes, size_t most)
{
	size_t count = 0;

	while (count < most && sscanf(text + 2 * count, "%2hhx",
				      &bytes[count]) == 1)
		count++;
	return count;
}

static void answer(struct binaries *binaries, char *question)
{
	static struct places places;
	static const char *said;
	char *plus = strrchr(question, '+'), *path = question;
	const char *complaint;
	struct binary *binary;
	uint8_t id[64];
	size_t size = 0;

	if (!plus)
		return;
	*plus = 0;
	if (*question != '/') {
		size = read_bytes(question, id, sizeof(id));
		path = strchr(question, ':');
		path = path ? path + 1 : NULL;
	}
	binary = binaries_open(binaries, path, id, size);
	binary_find(binary, strtoull(plus + 1, NULL, 16), &places);
	complaint = binary_complaint(binary);
	if (complaint && complaint != said)
		printf("! %s\n", complaint);
	said = complaint;
	print_places(&places);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int argc, char *argv[])
{
	const char *folders = NULL;
	struct binaries *binaries;
	bool timed = false;
	char *line = NULL;
	size_t room = 0, count = 0;
	double start, first = 0;
	int option;

	while ((option = getopt(argc, argv, "d:t")) != -1) {
		if (option == 'd')
			folders = optarg;
		else
			timed = true;
	}
	start = now();
	binaries = binaries_new(folders, 0);
	while (binaries && getline(&line, &room, stdin) > 0) {
		answer(binaries, line);
		if (count++ == 0)
			first = now() - start;
	}
	if (timed)
		fprintf(stderr, "%zu answers in %.6f s, the first in %.6f s\n",
			count, now() - start, first);
	free(line);
	binaries_free(binaries);
	return 0;
}
