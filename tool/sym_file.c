/* SPDX-License-Identifier: MIT */
/* sym_file.c - which function of a module holds this offset, after the recording?
 *
 * A recording keeps the symbols of each module in a text file named after it:
 * "ADDRESS [SIZE] TYPE NAME" a line, comments with the module's path and build-id
 * at the top.  Whatever else a line says is passed over.
 */
#include "sym_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <whocallme.h>

#include "slurp.h"

static const char path_header[] = "# path name: ";
static const char build_id_header[] = "# build-id: ";

static bool header_is(const char *line, const char *header, const char *value)
{
	size_t length = strlen(header);

	return strncmp(line, header, length) == 0 &&
	       strcmp(line + length, value) == 0;
}

static struct symbol *add(struct sym_file *file)
{
	if (file->count == file->room) {
		size_t room = file->room ? 2 * file->room : 256;
		struct symbol *more = realloc(file->symbols,
					      room * sizeof(*more));

		if (!more)
			return NULL;
		file->symbols = more;
		file->room = room;
	}
	return &file->symbols[file->count++];
}

/* A symbol's line, without its end. */
static void read_symbol(struct sym_file *file, char *line)
{
	struct symbol symbol = { 0 }, *place;
	char *next;

	symbol.address = strtoull(line, &next, 16);
	if (next == line || *next != ' ')
		return;
	/* A size has several digits, a type is one character. */
	if (next[1] && next[2] != ' ') {
		line = next + 1;
		symbol.size = strtoull(line, &next, 16);
	}
	if (next[0] != ' ' || !next[1] || next[2] != ' ' || !next[3])
		return;
	symbol.type = next[1];
	symbol.name = next + 3;
	place = add(file);
	if (place)
		*place = symbol;
}

static int by_address(const void *left, const void *right)
{
	const struct symbol *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	/* Where a section ends another may start: the start is found. */
	if ((a->type == '?') != (b->type == '?'))
		return a->type == '?' ? -1 : 1;
	return a->name < b->name ? -1 : 1;
}

/* How well the text's header fits the module: 0 is that of another one. */
static int fit(const char *text, const char *path, const char *build_id)
{
	int same_path = 1, same_id = 1;

	while (*text == '#') {
		size_t length = strcspn(text, "\n");
		char *line = strndup(text, length);

		if (!line)
			break;
		if (strncmp(line, path_header, sizeof(path_header) - 1) == 0)
			same_path = header_is(line, path_header, path) ? 2 : 0;
		if (*build_id &&
		    strncmp(line, build_id_header, sizeof(build_id_header) - 1) == 0)
			same_id = header_is(line, build_id_header, build_id) ? 2 : 0;
		free(line);
		text += length + (text[length] == '\n');
	}
	return same_path * same_id;
}

/* The text of file NAME in DIR, if it fits the module better than BEST, which it then
 * takes the place of. */
static void take_better(char **best, int *best_fit, const char *dir, const char *name,
			const char *path, const char *build_id)
{
	char *text = slurp(dir, name);
	const int how = text ? fit(text, path, build_id) : 0;

	if (how <= *best_fit) {
		free(text);
		return;
	}
	free(*best);
	*best = text;
	*best_fit = how;
}

/* The text of the file in DIR that fits the module best, or NULL.  Where modules have one
 * file name, all but one have four digits of their build-id behind it, or of a sum. */
static char *best_text(const char *dir, const char *path, const char *build_id)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	char *names[3] = { NULL }, *best = NULL;
	uint16_t sum = 0;
	int best_fit = 0;

	for (const char *byte = path; *byte; byte++)
		sum = (uint16_t)(sum + *byte);
	if (asprintf(&names[0], "%s.sym", base) < 0)
		names[0] = NULL;
	if (*build_id && asprintf(&names[1], "%s-%.4s.sym", base, build_id) < 0)
		names[1] = NULL;
	if (asprintf(&names[2], "%s-%04x.sym", base, sum) < 0)
		names[2] = NULL;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (names[i] && !strchr(names[i], '/'))
			take_better(&best, &best_fit, dir, names[i], path, build_id);
		free(names[i]);
	}
	return best;
}

bool sym_file_load(struct sym_file *file, const char *dir, const char *path,
		   const char *build_id)
{
	char *line, *rest;

	*file = (struct sym_file){ .text = best_text(dir, path, build_id) };
	rest = file->text;
	while ((line = strsep(&rest, "\n")))
		if (*line != '#')
			read_symbol(file, line);
	if (file->count)
		qsort(file->symbols, file->count, sizeof(*file->symbols),
		      by_address);
	return file->text != NULL;
}

void sym_file_free(struct sym_file *file)
{
	free(file->symbols);
	free(file->text);
	wcm_functions_free(file->functions);
}

const struct symbol *sym_file_find(const struct sym_file *file, uint64_t offset)
{
	size_t low = 0, high = file->count;
	const struct symbol *found;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (file->symbols[middle].address <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return NULL;
	found = &file->symbols[low - 1];
	if (found->type == '?' ||
	    (found->size && offset - found->address >= found->size))
		return NULL;
	return found;
}

uint64_t sym_file_size(const struct sym_file *file)
{
	const struct symbol *last = file->count ? &file->symbols[file->count - 1] : NULL;

	if (!last)
		return 0;
	return last->type == '?' ? last->address : last->address + (last->size ? last->size : 1);
}
