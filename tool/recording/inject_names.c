/* SPDX-License-Identifier: MIT */
/* inject_names.c - the functions of a log of the plugin's runtime, as those of a module. */
#include "recording/inject_names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char inject_names_file[] = "log.sym";

/* Addresses as a program's are; how far one function is from the next. */
enum { FIRST = 0x10000, APART = 16 };

struct inject_name {
	const char *name;
	size_t length;
	uint64_t address;
	char *kept; /* the name, in memory of its own */
};

static int by_name(const void *left, const void *right)
{
	const struct inject_name *a = left, *b = right;
	const int order = memcmp(a->name, b->name,
				 a->length < b->length ? a->length : b->length);

	return order ? order : (a->length > b->length) - (a->length < b->length);
}

static struct inject_name *add(struct inject_names *names, const struct inject_line *line)
{
	struct inject_name *name = calloc(1, sizeof(*name));

	if (name)
		name->kept = strndup(line->name, line->length);
	if (name && name->kept) {
		name->name = name->kept;
		name->length = line->length;
		name->address = FIRST + APART * names->count;
		if (tree_add(&names->by_name, name)) {
			names->count++;
			return name;
		}
	}
	if (name)
		free(name->kept);
	free(name);
	return NULL;
}

uint64_t inject_names_address(struct inject_names *names, const struct inject_line *line)
{
	const struct inject_name key = { .name = line->name, .length = line->length };
	struct inject_name *name;

	names->by_name.compare = by_name;
	name = tree_find(&names->by_name, &key);
	if (!name)
		name = add(names, line);
	return name ? name->address : 0;
}

void inject_names_write_map(FILE *map)
{
	fprintf(map, "%08x-7fffffff0000 r-xp 00000000 00:00 0 /log\n", FIRST);
}

void inject_names_write(const struct inject_names *names, FILE *table)
{
	const struct inject_name first = { .name = "" }, *name = &first;

	fputs("# path name: /log\n", table);
	while (names->count > 0 && (name = tree_behind(&names->by_name, name)))
		fprintf(table, "%016" PRIx64 " %08x T %s\n", name->address - FIRST, APART,
			name->kept);
}

static void free_name(void *item)
{
	struct inject_name *name = item;

	free(name->kept);
	free(name);
}

void inject_names_free(struct inject_names *names)
{
	tree_free_each(&names->by_name, free_name);
}
