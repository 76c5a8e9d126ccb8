/* SPDX-License-Identifier: MIT */
/* session.c - finds the function at an address of a program, at a time.
 *
 * What was found is kept in a table of its own, not in base/hash.h's: an opened library makes all
 * of its answers out of date at once, and it has a bound.
 */
#include "symbols/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "base/number.h"
#include "base/slurp.h"

static int by_path(const void *left, const void *right)
{
	const struct loaded_module *a = left, *b = right;
	const int order = strcmp(a->module.path, b->module.path);

	return order ? order : strcmp(a->module.build_id, b->module.build_id);
}

static void free_module(struct loaded_module *module)
{
	free(module->module.path);
	free(module->module.build_id);
	free(module);
}

static struct loaded_module *module_make(struct modules *modules, const char *path,
					 const char *build_id)
{
	struct loaded_module *module = calloc(1, sizeof(*module));

	if (!module)
		return NULL;
	module->module.path = strdup(path);
	module->module.build_id = strdup(build_id);
	if (module->module.path && module->module.build_id &&
	    tree_add(&modules->by_path, module))
		return module;
	free_module(module);
	return NULL;
}

/* The module of a recording with this path and build-id, read when first met. */
static struct loaded_module *module_get(struct modules *modules, char *path,
					char *build_id)
{
	const struct loaded_module key = { .module = { .path = path,
						       .build_id = build_id } };
	struct loaded_module *module, **more;

	modules->by_path.compare = by_path;
	module = tree_find(&modules->by_path, &key);
	if (module)
		return module;
	more = grow(modules->all, modules->count, &modules->room, sizeof(*more));
	if (!more)
		return NULL;
	modules->all = more;
	module = module_make(modules, path, build_id);
	if (!module)
		return NULL;
	module->symbols = sym_store_get(&modules->tables, modules->dir, path, build_id);
	return modules->all[modules->count++] = module;
}

void modules_free(struct modules *modules)
{
	for (size_t i = 0; i < modules->count; i++)
		free_module(modules->all[i]);
	tree_free(&modules->by_path);
	sym_store_free(&modules->tables);
	free(modules->all);
}

/* Cut the build-id off the end of PATH, which may have spaces. */
static char *split_build_id(char *path)
{
	static const char mark[] = " build-id:";
	char *found = strstr(path, mark);

	if (!found)
		return path + strlen(path);
	*found = '\0';
	return found + sizeof(mark) - 1;
}

/* "START-END PROTECTION OFFSET DEVICE INODE PATH [build-id:ID]" */
static void read_mapping(struct session *session, struct modules *modules,
			 char *line)
{
	struct mapping mapping, *last, *more;
	char *build_id;
	int path_at = 0;

	line = (char *)number_read(line, 16, UINT64_MAX, &mapping.start);
	line = (char *)number_read(number_behind(line, "-"), 16, UINT64_MAX, &mapping.end);
	/* Nothing is stored but where the path is. */
	if (!line || sscanf(line, " %*s %*x %*x:%*x %*d %n", &path_at) == EOF || path_at == 0 ||
	    strchr("[", line[path_at]) || mapping.end <= mapping.start)
		return;
	build_id = split_build_id(line + path_at);
	mapping.module = module_get(modules, line + path_at, build_id);
	if (!mapping.module)
		return;
	/* The segments of a file follow each other; its addresses count from the
	 * first of them. */
	last = session->mapping_count ?
		&session->mappings[session->mapping_count - 1] : NULL;
	if (last && last->module == mapping.module && mapping.start >= last->end) {
		last->end = mapping.end;
		return;
	}
	more = grow(session->mappings, session->mapping_count, &session->mapping_room,
		    sizeof(*more));
	if (!more)
		return;
	session->mappings = more;
	more[session->mapping_count++] = mapping;
}

static int by_start(const void *left, const void *right)
{
	const struct mapping *a = left, *b = right;

	return a->start < b->start ? -1 : a->start > b->start;
}

bool session_read_map(struct session *session, struct modules *modules)
{
	char *name = NULL, *text = NULL, *rest, *line;

	session->absolute = modules->absolute;
	if (asprintf(&name, "sid-%s.map", session->id) < 0)
		return false;
	if (!strchr(name, '/'))
		text = slurp(modules->dir, name);
	free(name);
	if (!text)
		return false;
	rest = text;
	while ((line = strsep(&rest, "\n")))
		read_mapping(session, modules, line);
	free(text);
	if (session->mapping_count)
		qsort(session->mappings, session->mapping_count,
		      sizeof(*session->mappings), by_start);
	return true;
}

void session_share_map(struct session *session, const struct session *same)
{
	session->absolute = same->absolute;
	session->mappings = same->mappings;
	session->mapping_count = same->mapping_count;
}

void session_add_opened(struct session *session, struct modules *modules,
			const struct opened *mapped, char *path, char *build_id)
{
	struct loaded_module *module = module_get(modules, path, build_id);
	struct opened *more = grow(session->opened, session->opened_count,
				   &session->opened_room, sizeof(*more)), *last;

	if (more)
		session->opened = more;
	if (!more || !module)
		return;
	last = &more[session->opened_count];
	*last = *mapped;
	last->module = module;
	last->number = session->opened_count++;
}

static int by_time(const void *left, const void *right)
{
	const struct opened *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static int by_base(const void *left, const void *right)
{
	const struct opened *a = left, *b = right;

	return a->base < b->base ? -1 : a->base > b->base;
}

void session_sort_opened(struct session *session)
{
	if (session->opened_count)
		qsort(session->opened, session->opened_count, sizeof(*session->opened),
		      by_time);
	session->opened_now.compare = by_base;
}

static const struct mapping *mapping_of(const struct session *session,
					uint64_t address)
{
	size_t low = 0, high = session->mapping_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (session->mappings[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || address >= session->mappings[low - 1].end)
		return NULL;
	return &session->mappings[low - 1];
}

/* The name of a system call is changed in recordings, for uftrace. */
static const char *name_of(const struct symbol *symbol)
{
	return symbol->type == 'P' && strcmp(symbol->name, "sys_execve") == 0 ? "execve" :
									      symbol->name;
}

/* The function of MODULE at OFFSET; one that BEGINS there, or any. */
static const struct function *in_module(struct function_set *functions,
					const struct loaded_module *module,
					uint64_t offset, bool begins)
{
	const struct symbol *symbol =
		module->symbols ? sym_file_find(module->symbols, offset) : NULL;

	if (!symbol || (begins && symbol->address != offset))
		return NULL;
	return function_set_get(functions, name_of(symbol), &module->module,
			     symbol->address, symbol->type == 'P');
}

/* NULL: none is known. */
static const struct function *known_at(const struct session *session,
				       struct function_set *functions, uint64_t address,
				       bool begins)
{
	const struct opened key = { .base = address };
	const struct mapping *mapping = mapping_of(session, address);
	const struct function *function = NULL;
	const struct opened *opened;

	if (mapping)
		function = in_module(functions, mapping->module,
				     address - mapping->start, begins);
	if (mapping && !function && session->absolute)
		function = in_module(functions, mapping->module, address, begins);
	opened = function ? NULL : tree_up_to(&session->opened_now, &key);
	if (opened && address < opened->end)
		function = in_module(functions, opened->module, address - opened->base, begins);
	return function;
}

const struct function *session_function_around(const struct session *session,
					       struct function_set *functions, uint64_t address)
{
	return known_at(session, functions, address, false);
}

static const struct function *resolve(const struct session *session,
				      struct function_set *functions, uint64_t address)
{
	const struct function *function = session_function_around(session, functions, address);

	return function ? function : function_set_unknown(functions, address);
}

const struct function *session_function_at(const struct session *session,
					   struct function_set *functions, uint64_t address)
{
	return known_at(session, functions, address, true);
}

/* MODULE; *OFFSET becomes that of the function there. */
static const struct module *begin_of(const struct loaded_module *module, uint64_t *offset)
{
	const struct symbol *symbol =
		module->symbols ? sym_file_find(module->symbols, *offset) : NULL;

	if (symbol)
		*offset = symbol->address;
	return &module->module;
}

const struct module *session_module_at(const struct session *session, uint64_t address,
				       uint64_t *offset)
{
	const struct opened key = { .base = address };
	const struct mapping *mapping = mapping_of(session, address);
	const struct opened *opened = mapping ? NULL : tree_up_to(&session->opened_now, &key);

	if (mapping) {
		*offset = session->absolute ? address : address - mapping->start;
		return begin_of(mapping->module, offset);
	}
	if (!opened || address >= opened->end)
		return NULL;
	*offset = address - opened->base;
	return begin_of(opened->module, offset);
}

/* A slot is in use that was filled since the last library was opened: another library may
 * give another answer to the same question. */
static bool is_used(const struct session *session, const struct address_slot *slot)
{
	return slot->function && slot->opened_seen == session->opened_seen;
}

static struct address_slot *slot_of(const struct session *session,
				    uint64_t address)
{
	size_t mask = session->slot_count - 1;
	size_t at = hash_slot(&address, sizeof(address)) & mask;

	while (is_used(session, &session->slots[at]) &&
	       session->slots[at].address != address)
		at = (at + 1) & mask;
	return &session->slots[at];
}

/* Make the table of answers larger, or empty where it is large enough already: as
 * many addresses as that are not those of functions. */
static bool make_room(struct session *session)
{
	enum { FIRST = 1024, LARGEST = 1 << 20 };
	size_t count = session->slot_count ? 2 * session->slot_count : FIRST;
	struct address_slot *old = session->slots;
	size_t old_count = session->slot_count;

	if (count > LARGEST) {
		memset(old, 0, old_count * sizeof(*old));
		session->slots_used = 0;
		return true;
	}
	session->slots = calloc(count, sizeof(*session->slots));
	if (!session->slots) {
		session->slots = old;
		return false;
	}
	session->slot_count = count;
	for (size_t i = 0; i < old_count; i++)
		if (is_used(session, &old[i]))
			*slot_of(session, old[i].address) = old[i];
	free(old);
	return true;
}

/* Where what is known of the functions of OPENED ends. */
static uint64_t end_of(const struct opened *opened)
{
	const struct sym_file *symbols = opened->module->symbols;
	const uint64_t size = symbols ? sym_file_size(symbols) : 0;

	if (opened->end != UINT64_MAX)
		return opened->end;
	return size < UINT64_MAX - opened->base ? opened->base + size : UINT64_MAX;
}

/* The next of the opened libraries takes its place: whatever was there is gone. */
static void open_next(struct session *session)
{
	struct opened *next = &session->opened[session->opened_seen++];
	struct tree *now = &session->opened_now;
	const uint64_t end = end_of(next);
	const struct opened *other = tree_up_to(now, next);

	if (other && (other->base == next->base || end_of(other) > next->base))
		tree_remove(now, other);
	while ((other = tree_behind(now, next)) && other->base < end)
		tree_remove(now, other);
	tree_add(now, next); /* out of memory: its functions have no names */
}

const struct function *session_find(struct session *session,
				    struct function_set *functions,
				    uint64_t time, uint64_t address)
{
	struct address_slot *slot;

	while (session->opened_seen < session->opened_count &&
	       session->opened[session->opened_seen].time <= time) {
		open_next(session);
		session->slots_used = 0;
	}
	if (2 * session->slots_used >= session->slot_count && !make_room(session))
		return resolve(session, functions, address);
	slot = slot_of(session, address);
	if (!is_used(session, slot)) {
		slot->address = address;
		slot->opened_seen = session->opened_seen;
		slot->function = resolve(session, functions, address);
		session->slots_used++;
	}
	return slot->function;
}

void session_free(struct session *session)
{
	free(session->id);
	free(session->program);
	if (session->mapping_room)
		free(session->mappings);
	tree_free(&session->opened_now);
	free(session->opened);
	free(session->slots);
}
