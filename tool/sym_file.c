/* SPDX-License-Identifier: MIT */
/* sym_file.c - which function of a module holds this offset, after the recording?
 *
 * A recording keeps the symbols of each module in a text file named after it:
 * "ADDRESS [SIZE] TYPE NAME" a line, comments with the module's path and build-id
 * at the top.  Whatever else a line says is passed over.
 */
#include "sym_file.h"

#include <dirent.h>
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

static bool is_candidate(const char *name, const char *base)
{
	size_t length = strlen(name), stem = strlen(base);

	return length >= stem + 4 && strncmp(name, base, stem) == 0 &&
	       strcmp(name + length - 4, ".sym") == 0 &&
	       (length == stem + 4 || name[stem] == '-');
}

/* The text of the file in DIR that fits the module best, or NULL. */
static char *best_text(const char *dir, const char *path, const char *build_id)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	DIR *folder = opendir(dir);
	struct dirent *entry;
	char *best = NULL;
	int best_fit = 0;

	while (folder && (entry = readdir(folder))) {
		char *text;
		int how;

		if (!is_candidate(entry->d_name, base))
			continue;
		text = slurp(dir, entry->d_name);
		how = text ? fit(text, path, build_id) : 0;
		if (how > best_fit) {
			free(best);
			best = text;
			best_fit = how;
		} else {
			free(text);
		}
	}
	if (folder)
		closedir(folder);
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
