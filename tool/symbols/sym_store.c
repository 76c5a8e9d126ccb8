/* SPDX-License-Identifier: MIT */
/* sym_store.c - the tables of symbols of a recording, one for each file.
 *
 * A recording may say of any number of modules that they are one file, by its links, by
 * other ways to write a path, or as the table without a path that all files of a name
 * share.  What is read and kept is bounded by the files that there are.
 */
#include "symbols/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/escape.h"
#include "base/grow.h"
#include "symbols/module_file.h"

/* A file by what it is; MODULE: not a table of the recording's. */
struct stored {
	uint64_t device, inode;
	bool module;
	bool missing; /* nothing can be read from it */
	struct sym_file symbols;
};

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_file(const void *left, const void *right)
{
	const struct stored *a = left, *b = right;
	const int device = compare(a->device, b->device);
	const int inode = compare(a->inode, b->inode);

	return device ? device : inode ? inode : compare(a->module, b->module);
}

/* False: no memory. */
static bool add(struct sym_store *store, struct stored *stored)
{
	struct stored **more =
		grow(store->all, store->count, &store->room, sizeof(*more));

	if (!more)
		return false;
	store->all = more;
	if (!tree_add(&store->files, stored))
		return false;
	more[store->count++] = stored;
	return true;
}

/* The file NAME in DIR, a module if that is NULL; NULL: it has nothing. */
static struct stored *get(struct sym_store *store, const char *dir, const char *name)
{
	struct stored *stored, key = { .module = !dir };
	struct stat status;
	char *path = NULL;
	int found;

	if (asprintf(&path, "%s%s%s", dir ? dir : "", dir ? "/" : "", name) < 0)
		return NULL;
	found = stat(path, &status);
	free(path);
	if (found != 0 || !S_ISREG(status.st_mode))
		return NULL;
	key.device = status.st_dev;
	key.inode = status.st_ino;
	store->files.compare = by_file;
	stored = tree_find(&store->files, &key);
	if (stored)
		return stored->missing ? NULL : stored;
	stored = malloc(sizeof(*stored));
	if (!stored)
		return NULL;
	*stored = key;
	stored->missing = !(dir ? sym_file_load(&stored->symbols, dir, name) :
				  module_file_load(&stored->symbols, name));
	if (!add(store, stored)) {
		sym_file_free(&stored->symbols);
		free(stored);
		return NULL;
	}
	return stored->missing ? NULL : stored;
}

static void take_better(struct stored **best, int *best_fit, struct stored *other,
			const char *path, const char *build_id)
{
	const int fit = other ? sym_file_fit(&other->symbols, path, build_id) : 0;

	if (fit <= *best_fit)
		return;
	*best = other;
	*best_fit = fit;
}

/* The file of KIND in DIR that fits the module best, or NULL.  Where modules have one file name,
 * all but one have four digits of their build-id behind it, or of a sum. */
static struct stored *best_of(struct sym_store *store, const char *dir, const char *path,
			      const char *build_id, const char *kind)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	char *names[3] = { NULL };
	struct stored *best = NULL;
	uint16_t sum = 0;
	int best_fit = 0;

	for (const char *byte = path; *byte; byte++)
		sum = (uint16_t)(sum + *byte);
	if (asprintf(&names[0], "%s.%s", base, kind) < 0)
		names[0] = NULL;
	if (*build_id && asprintf(&names[1], "%s-%.4s.%s", base, build_id, kind) < 0)
		names[1] = NULL;
	if (asprintf(&names[2], "%s-%04x.%s", base, sum, kind) < 0)
		names[2] = NULL;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (names[i] && !strchr(names[i], '/'))
			take_better(&best, &best_fit, get(store, dir, names[i]), path,
				    build_id);
		free(names[i]);
	}
	return best;
}

const struct sym_file *sym_store_get(struct sym_store *store, const char *dir,
				     const char *path, const char *build_id)
{
	struct stored *stored = best_of(store, dir, path, build_id, "sym");
	char *name;

	if (stored) {
		sym_file_parse(&stored->symbols);
		return &stored->symbols;
	}
	name = strdup(path);
	if (!name)
		return NULL;
	unescape(name);
	stored = get(store, NULL, name);
	free(name);
	return stored && module_file_is(&stored->symbols, build_id) ? &stored->symbols :
								      NULL;
}

char *sym_store_text(struct sym_store *store, const char *dir, const char *path,
		     const char *build_id)
{
	const struct stored *stored = best_of(store, dir, path, build_id, "dbg");

	return stored ? strdup(stored->symbols.text) : NULL;
}

void sym_store_free(struct sym_store *store)
{
	for (size_t i = 0; i < store->count; i++) {
		sym_file_free(&store->all[i]->symbols);
		free(store->all[i]);
	}
	tree_free(&store->files);
	free(store->all);
}
