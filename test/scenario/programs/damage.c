/* SPDX-License-Identifier: MIT */
/* damage.c - copies of a file, each with one thing wrong.
 *
 *	damage FILE FOLDER cut|flip|fill FROM TO STEP
 *
 * FOLDER/N is FILE cut off at N, with byte N inverted, or with it all ones, for
 * each N from FROM up to TO. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *content;
static size_t size;

static void read_whole(const char *path)
{
	FILE *file = fopen(path, "rb");

	if (!file || fseek(file, 0, SEEK_END) != 0)
		exit(1);
	size = (size_t)ftell(file);
	rewind(file);
	content = malloc(size);
	if (!content || fread(content, 1, size, file) != size)
		exit(1);
	fclose(file);
}

static void write_copy(const char *folder, size_t number, size_t length)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%05zu", folder, number);
	file = fopen(path, "wb");
	if (!file || fwrite(content, 1, length, file) != length ||
	    fclose(file) != 0)
		exit(1);
}

int main(int argc, char *argv[])
{
	size_t to, step;

	if (argc != 7)
		return 2;
	read_whole(argv[1]);
	to = strtoul(argv[5], NULL, 10);
	step = strtoul(argv[6], NULL, 10);
	for (size_t i = strtoul(argv[4], NULL, 10); i < to && i < size;
	     i += step) {
		char whole = content[i];

		content[i] = (char)(argv[3][1] == 'l' ? ~whole : 0xff);
		write_copy(argv[2], i, argv[3][0] == 'c' ? i : size);
		content[i] = whole;
	}
	return 0;
}
