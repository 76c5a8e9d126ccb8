/* SPDX-License-Identifier: MIT */
/* sym_file.c - finds the function at an offset of a module, from the recording's table.
 *
 * A recording keeps the symbols of each module in a text file named after it:
 * "ADDRESS [SIZE] TYPE NAME" a line, comments with the module's path and build-id
 * at the top.  Whatever else a line says is passed over.
 */
#include "symbols/sym_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <whocallme.h>

#include "base/number.h"
#include "base/slurp.h"

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
	struct symbol symbol = { 0 }, *added;
	char *next = (char *)number_read(line, 16, UINT64_MAX, &symbol.address);

	if (!next || *next != ' ')
		return;
	/* A size has several digits, a type is one character. */
	if (next[1] && next[2] != ' ') {
		next = (char *)number_read(next + 1, 16, UINT64_MAX, &symbol.size);
	}
	if (!next || next[0] != ' ' || !next[1] || next[2] != ' ' || !next[3])
		return;
	symbol.type = next[1];
	symbol.name = next + 3;
	added = add(file);
	if (added)
		*added = symbol;
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

/* The value of the last line of the text's header that begins like HEADER; NULL: none
 * does. */
static char *header_value(const char *text, const char *header)
{
	const size_t length = strlen(header);
	const char *value = NULL;

	for (; *text == '#'; text += strcspn(text, "\n"), text += *text == '\n')
		if (strncmp(text, header, length) == 0)
			value = text + length;
	return value ? strndup(value, strcspn(value, "\n")) : NULL;
}

static int fit_of(const char *said, const char *wanted)
{
	return !said ? 1 : strcmp(said, wanted) == 0 ? 2 : 0;
}

int sym_file_fit(const struct sym_file *file, const char *path, const char *build_id)
{
	return fit_of(file->path, path) *
	       (*build_id ? fit_of(file->build_id, build_id) : 1);
}

bool sym_file_load(struct sym_file *file, const char *dir, const char *name)
{
	*file = (struct sym_file){ .text = slurp(dir, name) };
	if (!file->text)
		return false;
	file->path = header_value(file->text, "# path name: ");
	file->build_id = header_value(file->text, "# build-id: ");
	return true;
}

void sym_file_parse(struct sym_file *file)
{
	char *line;

	if (file->parsed)
		return;
	file->parsed = true;
	for (char *rest = file->text; (line = strsep(&rest, "\n"));)
		if (*line != '#')
			read_symbol(file, line);
	if (file->count)
		qsort(file->symbols, file->count, sizeof(*file->symbols),
		      by_address);
}

void sym_file_free(struct sym_file *file)
{
	free(file->symbols);
	free(file->text);
	free(file->path);
	free(file->build_id);
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
