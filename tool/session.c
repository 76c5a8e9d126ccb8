/* SPDX-License-Identifier: MIT */
/* session.c - which function was at this address of a program, at that time? */
#include "session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "module_file.h"
#include "slurp.h"

/* The module of a recording with this path and build-id, read when first met. */
static struct loaded_module *module_get(struct modules *modules, const char *path,
					const char *build_id)
{
	struct loaded_module *module, **more;

	for (size_t i = 0; i < modules->count; i++) {
		module = modules->all[i];
		if (strcmp(module->module.path, path) == 0 &&
		    strcmp(module->module.build_id, build_id) == 0)
			return module;
	}
	more = realloc(modules->all, (modules->count + 1) * sizeof(*more));
	if (!more)
		return NULL;
	modules->all = more;
	module = calloc(1, sizeof(*module));
	if (!module)
		return NULL;
	module->module.path = strdup(path);
	module->module.build_id = strdup(build_id);
	if (!module->module.path || !module->module.build_id) {
		free(module->module.path);
		free(module->module.build_id);
		free(module);
		return NULL;
	}
	module->missing = !sym_file_load(&module->symbols, modules->dir, path,
					 build_id) &&
			  !module_file_load(&module->symbols, path, build_id);
	return modules->all[modules->count++] = module;
}

void modules_free(struct modules *modules)
{
	for (size_t i = 0; i < modules->count; i++) {
		sym_file_free(&modules->all[i]->symbols);
		free(modules->all[i]->module.path);
		free(modules->all[i]->module.build_id);
		free(modules->all[i]);
	}
	free(modules->all);
}

/* Cut the build-id off the end of PATH, which may have spaces. */
static const char *split_build_id(char *path)
{
	static const char mark[] = " build-id:";
	char *found = strstr(path, mark);

	if (!found)
		return "";
	*found = '\0';
	return found + sizeof(mark) - 1;
}

/* "START-END PROTECTION OFFSET DEVICE INODE PATH [build-id:ID]" */
static void read_mapping(struct session *session, struct modules *modules,
			 char *line)
{
	struct mapping mapping, *last, *more;
	const char *build_id;
	int path_at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*x %*x:%*x %*d %n",
		   &mapping.start, &mapping.end, &path_at) < 2 ||
	    path_at == 0 || strchr("[", line[path_at]) || mapping.end <= mapping.start)
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
	more = realloc(session->mappings,
		       (session->mapping_count + 1) * sizeof(*more));
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

void session_add_opened(struct session *session, struct modules *modules,
			const struct opened *place, const char *path,
			const char *build_id)
{
	struct loaded_module *module = module_get(modules, path, build_id);
	struct opened *more = realloc(session->opened,
				      (session->opened_count + 1) * sizeof(*more));
	size_t at = session->opened_count;

	if (more)
		session->opened = more;
	if (!more || !module)
		return;
	for (; at > 0 && more[at - 1].time > place->time; at--)
		more[at] = more[at - 1];
	more[at] = *place;
	more[at].module = module;
	session->opened_count++;
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

static const struct function *in_module(struct function_set *functions,
					const struct loaded_module *module,
					uint64_t offset)
{
	const struct symbol *symbol = sym_file_find(&module->symbols, offset);

	if (!symbol)
		return NULL;
	return function_set_get(functions, symbol->name, &module->module,
			     symbol->address, symbol->type == 'P');
}

/* What was opened last may stand where another library was before. */
static const struct function *resolve(const struct session *session,
				      struct function_set *functions, uint64_t address)
{
	const struct mapping *mapping = mapping_of(session, address);
	const struct function *function = NULL;

	if (mapping)
		function = in_module(functions, mapping->module,
				     address - mapping->start);
	if (mapping && !function && session->absolute)
		function = in_module(functions, mapping->module, address);
	for (size_t i = session->opened_seen; !function && i-- > 0;)
		if (address >= session->opened[i].base &&
		    address < session->opened[i].end && !session->opened[i].gone)
			function = in_module(functions, session->opened[i].module,
					     address - session->opened[i].base);
	return function ? function : function_set_unknown(functions, address);
}

static struct address_slot *slot_of(const struct session *session,
				    uint64_t address)
{
	size_t mask = session->slot_count - 1;
	uint64_t mixed = address * UINT64_C(0x9e3779b97f4a7c15);
	size_t at = (mixed >> 32) & mask;

	while (session->slots[at].function && session->slots[at].address != address)
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
		if (old[i].function)
			*slot_of(session, old[i].address) = old[i];
	free(old);
	return true;
}

/* The next of the opened libraries takes its place. */
static void open_next(struct session *session)
{
	const struct opened *next = &session->opened[session->opened_seen];

	for (size_t i = 0; i < session->opened_seen; i++)
		if (session->opened[i].base == next->base ||
		    (next->end != UINT64_MAX && session->opened[i].base < next->end &&
		     session->opened[i].end > next->base))
			session->opened[i].gone = true;
	session->opened_seen++;
}

/* Another library may give another answer to the same question. */
static void forget(struct session *session)
{
	if (session->slots)
		memset(session->slots, 0,
		       session->slot_count * sizeof(*session->slots));
	session->slots_used = 0;
}

const struct function *session_find(struct session *session,
				    struct function_set *functions,
				    uint64_t time, uint64_t address)
{
	struct address_slot *slot;

	while (session->opened_seen < session->opened_count &&
	       session->opened[session->opened_seen].time <= time) {
		open_next(session);
		forget(session);
	}
	if (2 * session->slots_used >= session->slot_count && !make_room(session))
		return resolve(session, functions, address);
	slot = slot_of(session, address);
	if (!slot->function) {
		slot->address = address;
		slot->function = resolve(session, functions, address);
		session->slots_used++;
	}
	return slot->function;
}

void session_free(struct session *session)
{
	free(session->id);
	free(session->program);
	free(session->mappings);
	free(session->opened);
	free(session->slots);
}
