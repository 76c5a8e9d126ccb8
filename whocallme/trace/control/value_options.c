/* SPDX-License-Identifier: MIT */
/* value_options.c - has what calls are given be known, as a trace's options ask for.
 *
 * A list that somebody else has made, of debug data for one, is read from a file: a line each of
 *
 *	/usr/bin/program+0x1136 iis
 *	fopen64 pss
 *
 * which is a function by its module and its address there, or a library function by name, and
 * its prototype in the codes of prototype.h.  Lists are not freed: a hook may read them.
 */
#include "trace/control/value_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arch/arch.h"
#include "core/modules/modules.h"
#include "core/report/line.h"
#include "core/symbols/slot_names.h"
#include "trace/filter/known_values.h"
#include "trace/probe/trace_stderr.h"
#include "trace/values/prototype.h"

static const char *asked;
static const struct wcm_known_values *list;

/* A list while it grows. */
struct growing {
	struct wcm_known_value *value;
	size_t count, room;
};

/* The module of a PATH, of LENGTH bytes, that is loaded; NULL: none is. */
static const struct wcm_known_module *find_module(const char *path, size_t length)
{
	const struct wcm_module_list *modules = wcm__modules_get();

	for (size_t i = 0; i < modules->count; i++) {
		const char *of = modules->module[i]->map.path;

		if (of && strncmp(of, path, length) == 0 && !of[length])
			return modules->module[i];
	}
	return NULL;
}

/* Whether WHERE, which is changed, is a function that is there, or a name: VALUE's. */
static bool read_where(char *where, struct wcm_known_value *value)
{
	const struct wcm_known_module *module;
	char *plus = strrchr(where, '+'), *end;

	if (!plus || strncmp(plus, "+0x", 3) != 0) {
		value->name = strdup(where);
		return value->name;
	}
	module = find_module(where, (size_t)(plus - where));
	if (!module)
		return false;
	value->at = module->map.bias + strtoull(plus + 1, &end, 16);
	return !*end;
}

static bool add(struct growing *all, const struct wcm_known_value *value)
{
	if (all->count == all->room) {
		const size_t room = all->room ? 2 * all->room : 64;
		void *grown = realloc(all->value, room * sizeof(*value));

		if (!grown)
			return false;
		all->value = grown;
		all->room = room;
	}
	all->value[all->count++] = *value;
	return true;
}

/* False: LINE is none of a list. */
static bool read_line(char *line, struct growing *all)
{
	struct wcm_known_value value = { 0 };
	char *codes = strrchr(line, ' ');

	line[strcspn(line, "\n")] = '\0';
	if (*line == '#' || !*line)
		return true;
	if (!codes || !wcm__prototype_is_known(codes + 1))
		return false;
	*codes = '\0';
	if (!read_where(line, &value))
		return true;
	value.codes = strdup(codes + 1);
	return value.codes && add(all, &value);
}

/* By address; those of a name are behind. */
static int compare(const void *a, const void *b)
{
	const struct wcm_known_value *one = a, *other = b;

	if (!one->name != !other->name)
		return one->name ? 1 : -1;
	return (one->at > other->at) - (one->at < other->at);
}

static const struct wcm_known_values *sorted(const struct growing *all)
{
	struct wcm_known_values *made = all->count > 0 ? calloc(1, sizeof(*made)) : NULL;

	if (!made)
		return NULL;
	qsort(all->value, all->count, sizeof(*all->value), compare);
	while (made->count < all->count && !all->value[made->count].name)
		made->count++;
	made->named = all->count - made->count;
	made->value = all->value;
	return made;
}

static void complain(const char *text, const char *name, const char *more)
{
	struct wcm_line line;

	wcm__line_init(&line, wcm__trace_stderr());
	wcm__line_text(&line, "<whocallme>: ");
	wcm__line_text(&line, text);
	if (name)
		wcm__line_name(&line, name);
	wcm__line_text(&line, more);
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
}

static const struct wcm_known_values *read_list(const char *path)
{
	struct growing all = { 0 };
	bool is_whole = true;
	char *line = NULL;
	size_t room = 0;
	FILE *file = fopen(path, "re");

	if (!file) {
		complain("WHOCALLME_PROTOTYPES=", path, " cannot be read");
		return NULL;
	}
	while (is_whole && getline(&line, &room, file) > 0)
		is_whole = read_line(line, &all);
	if (!is_whole)
		complain("WHOCALLME_PROTOTYPES=", path, " has a line that is no prototype");
	free(line);
	fclose(file);
	return sorted(&all);
}

void wcm__values_ask(const struct wcm_trace_options *options)
{
	static char *kept;
	const char *path = secure_getenv("WHOCALLME_PROTOTYPES");

	free(kept);
	asked = kept = options->arguments && *options->arguments ? strdup(options->arguments) :
								    NULL;
	list = asked && WCM_PASSED_IS_KNOWN && path && *path ? read_list(path) : NULL;
	wcm__known_values_ask(WCM_PASSED_IS_KNOWN ? asked : NULL, list);
}

bool wcm__values_are_asked(void)
{
	return asked && WCM_PASSED_IS_KNOWN;
}

static bool is_any_known(void)
{
	for (const struct wcm_slot_names *names = wcm__slot_names_first(); names;
	     names = names->next)
		for (size_t i = 0; i < names->count; i++)
			if (names->slot[i].prototype)
				return true;
	return list != NULL;
}

void wcm__values_complain(void)
{
	if (asked && !WCM_PASSED_IS_KNOWN)
		complain("arguments are not shown: this CPU's are not known", NULL, "");
	else if (asked && !is_any_known())
		complain("no arguments are shown: none are known of what is traced; hooks of "
			 "-finstrument-functions tell none, and library functions are traced by "
			 "--library-calls", NULL, "");
}
