/* SPDX-License-Identifier: MIT */
/* value_options.c - has what calls are given be known, as a trace's options ask for.
 *
 * A list that somebody else has made, of debug data for one, is read from a file: a line each of
 *
 *	enum color RED=0,GREEN=5
 *	/usr/bin/program+0x1136 iE0is
 *	fopen64 pss
 *
 * which is an enumeration, the number of which counts those above; a function by its module and its
 * address there, or a library function by name, and its prototype in the codes of prototype.h.
 * The command hands its list over as a descriptor of memory that is sealed.  Lists are not freed:
 * a hook may read them.
 */
#include "trace/start/trace_start.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/arch/arch.h"
#include "core/modules/modules.h"
#include "core/symbols/slot_names.h"
#include "format/line.h"
#include "format/settings.h"
#include "trace/engine/trace_stderr.h"
#include "trace/filter/known_values.h"
#include "trace/process/brought.h"
#include "trace/system/system_calls.h"
#include "trace/values/enumeration.h"
#include "trace/values/prototype.h"

static const char *asked;
static const struct wcm_known_values *list;

/* A list while it grows. */
struct growing {
	struct wcm_known_value *value;
	size_t count, room;
	struct wcm_enumeration *enumeration;
	size_t enumerations, enumeration_room;
	const char *path; /* of the line before */
	const struct wcm_known_module *module; /* there; or NULL */
};

/* Whether links lead from OF, as the dynamic linker names a module, to the file that the kernel
 * names PATH. */
static bool is_linked(const char *of, const char *path)
{
	char *real = of && strchr(of, '/') ? realpath(of, NULL) : NULL;
	const bool same = real && strcmp(real, path) == 0;

	free(real);
	return same;
}

/* The module of a PATH that is loaded; NULL: none is.  Links are followed where no name is PATH. */
static const struct wcm_known_module *find_module(const char *path)
{
	const struct wcm_module_list *modules = wcm__modules_get();

	for (size_t i = 0; i < modules->count; i++) {
		const char *of = modules->module[i]->map.path;

		if (of && strcmp(of, path) == 0)
			return modules->module[i];
	}
	for (size_t i = 0; i < modules->count; i++)
		if (is_linked(modules->module[i]->map.path, path))
			return modules->module[i];
	return NULL;
}

/* Whether WHERE, which is changed, is a function that is there, or a name: VALUE's. */
static bool read_where(char *where, struct growing *all, struct wcm_known_value *value)
{
	char *plus = strrchr(where, '+'), *end;

	if (!plus || strncmp(plus, "+0x", 3) != 0) {
		value->name = where;
		return true;
	}
	*plus = '\0';
	if (!all->path || strcmp(all->path, where) != 0) {
		all->path = where;
		all->module = find_module(where);
	}
	if (!all->module)
		return false;
	value->at = all->module->map.bias + strtoull(plus + 1, &end, 16);
	return !*end;
}

/* ITEMS with room for one more; NULL: no memory. */
static void *grow(void *items, size_t count, size_t *room, size_t size)
{
	const size_t wanted = *room ? 2 * *room : 64;
	void *grown = count < *room ? items : reallocarray(items, wanted, size);

	if (grown && count >= *room)
		*room = wanted;
	return grown;
}

static bool add(struct growing *all, const struct wcm_known_value *value)
{
	void *grown = grow(all->value, all->count, &all->room, sizeof(*value));

	if (!grown)
		return false;
	all->value = grown;
	all->value[all->count++] = *value;
	return true;
}

static int compare_enumerators(const void *a, const void *b)
{
	const struct wcm_enumerator *one = a, *other = b;

	if (one->value != other->value)
		return one->value > other->value ? 1 : -1;
	return (one->name > other->name) - (one->name < other->name);
}

/* Whether the values are bits, and some of these together: 0 is none of them. */
static bool are_flags(const struct wcm_enumerator *each, size_t count)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < count; i++) {
		const uint64_t value = (uint64_t)each[i].value;

		if (each[i].value < 0 || ((value & (value - 1)) != 0 && (value & ~bits) != 0))
			return false;
		bits |= value;
	}
	return bits != 0;
}

/* MEMBERS are "RED=0,GREEN=5".  NULL: they are not, or there is no memory. */
static struct wcm_enumerator *read_enumerators(char *members, size_t *count)
{
	struct wcm_enumerator *made = NULL, *grown;
	size_t room = 0;
	char *member, *end;

	for (*count = 0; (member = strsep(&members, ",")); made[(*count)++].name = member) {
		char *value = strchr(member, '=');

		grown = grow(made, *count, &room, sizeof(*made));
		if (!value || value == member || !grown)
			break;
		made = grown;
		*value++ = '\0';
		made[*count].value = strtoll(value, &end, 10);
		if (end == value || *end)
			break;
	}
	if (!member)
		return made;
	free(made);
	return NULL;
}

/* TEXT is "NAME MEMBERS". */
static bool read_enumeration(char *text, struct growing *all)
{
	char *members = strchr(text, ' ');
	struct wcm_enumeration *grown = grow(all->enumeration, all->enumerations,
					     &all->enumeration_room, sizeof(*grown));
	struct wcm_enumerator *made;
	size_t count;

	if (grown)
		all->enumeration = grown;
	if (!members || members == text || !grown)
		return false;
	*members++ = '\0';
	made = read_enumerators(members, &count);
	if (!made)
		return false;
	qsort(made, count, sizeof(*made), compare_enumerators);
	grown[all->enumerations++] = (struct wcm_enumeration){
		.name = text, .count = count, .are_flags = are_flags(made, count),
		.enumerator = made
	};
	return true;
}

/* False: LINE is none of a list. */
static bool read_line(char *line, struct growing *all)
{
	struct wcm_known_value value = { 0 };
	char *codes = strrchr(line, ' ');

	if (*line == '#' || !*line)
		return true;
	if (strncmp(line, "enum ", 5) == 0)
		return read_enumeration(line + 5, all);
	if (!codes || !wcm__prototype_is_known(codes + 1))
		return false;
	*codes++ = '\0';
	value.codes = codes;
	return !read_where(line, all, &value) || add(all, &value);
}

/* By address; those of a name are behind. */
static int compare(const void *a, const void *b)
{
	const struct wcm_known_value *one = a, *other = b;

	if (!one->name != !other->name)
		return one->name ? 1 : -1;
	return (one->at > other->at) - (one->at < other->at);
}

static const struct wcm_known_values *sorted(const struct growing *all, bool yields)
{
	struct wcm_known_values *made = all->count > 0 ? calloc(1, sizeof(*made)) : NULL;

	if (!made)
		return NULL;
	qsort(all->value, all->count, sizeof(*all->value), compare);
	while (made->count < all->count && !all->value[made->count].name)
		made->count++;
	made->named = all->count - made->count;
	made->yields = yields;
	made->value = all->value;
	return made;
}

static void complain(const char *text, const char *name, const char *more)
{
	wcm__line_say(wcm__trace_stderr(), text, name, more);
}

/* The descriptor of the memory that the command has put its list into; -1: PATH is a file's, or
 * the program has another file there. */
static int handed_over(const char *path)
{
	static const char begin[] = "/proc/self/fd/";
	const bool is_number = strncmp(path, begin, sizeof(begin) - 1) == 0;
	const int fd = is_number ? atoi(path + sizeof(begin) - 1) : -1;
	const int seals = fd >= 0 ? fcntl(fd, F_GET_SEALS) : -1;

	return seals >= 0 && (seals & F_SEAL_WRITE) ? fd : -1;
}

/* All of the file FD, with a zero behind it; NULL: it cannot be read. */
static char *read_all(int fd)
{
	struct stat status;
	size_t size = 0;
	ssize_t got = 1;
	char *text = fstat(fd, &status) == 0 && status.st_size >= 0 ?
			     malloc((size_t)status.st_size + 1) : NULL;

	while (text && got > 0 && size < (size_t)status.st_size) {
		got = pread(fd, text + size, (size_t)status.st_size - size, (off_t)size);
		size += got > 0 ? (size_t)got : 0;
	}
	if (text)
		text[size] = '\0';
	if (text && got >= 0)
		return text;
	free(text);
	return NULL;
}

static char *read_file(const char *path)
{
	const int handed = handed_over(path);
	const int fd = handed >= 0 ? handed : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *text = fd >= 0 ? read_all(fd) : NULL;

	if (fd >= 0 && fd != handed)
		close(fd);
	return text;
}

static void publish_enumerations(const struct growing *all)
{
	struct wcm_enumerations *made = all->enumerations > 0 ? malloc(sizeof(*made)) : NULL;

	if (made)
		*made = (struct wcm_enumerations){ all->enumerations, all->enumeration };
	wcm__enumerations_set(made);
}

/* TEXT, which PATH has. */
static const struct wcm_known_values *read_text(char *text, const char *path, bool yields)
{
	struct growing all = { 0 };
	bool is_whole = true;
	char *line;

	while (is_whole && (line = strsep(&text, "\n")))
		is_whole = read_line(line, &all);
	if (!is_whole)
		complain("WHOCALLME_PROTOTYPES=", path, " has a line that is no prototype");
	publish_enumerations(&all);
	return sorted(&all, yields);
}

/* The latest that a client has brought, while its enumerations are the ones that are published. */
static struct {
	char *text;
	const struct wcm_module_list *modules;
	const struct wcm_known_values *list;
} last;

static const struct wcm_known_values *read_list(const char *path)
{
	char *text = read_file(path);

	free(last.text);
	last.text = NULL;
	if (text)
		return read_text(text, path, handed_over(path) >= 0);
	complain("WHOCALLME_PROTOTYPES=", path, " cannot be read");
	return NULL;
}

enum { MOST_BROUGHT = 64 << 20 /* bytes */ };

/* The list that a client of the agent has made.  A list is never freed: the same one again, of the
 * same modules, is the one before. */
static const struct wcm_known_values *read_brought(int fd)
{
	struct stat status;
	const bool fits = fstat(fd, &status) == 0 && status.st_size <= MOST_BROUGHT;
	char *text = fits ? read_all(fd) : NULL;

	if (text && last.text && strcmp(text, last.text) == 0 &&
	    last.modules == wcm__modules_get()) {
		free(text);
		return last.list;
	}
	free(last.text);
	last.text = text ? strdup(text) : NULL;
	last.modules = wcm__modules_get();
	last.list = text ? read_text(text, "the client's", true) : NULL;
	return last.list;
}

/* As it is at the start: who asks later may be an agent's thread, and the program changes its
 * environment when it likes. */
__attribute__((constructor)) static const char *list_asked(void)
{
	static char *path;
	static bool is_known;

	if (!is_known) {
		const char *asked_for = wcm__setting(NULL, WCM_SET_PROTOTYPES);

		path = asked_for ? strdup(asked_for) : NULL;
		is_known = true;
	}
	return path;
}

static const struct wcm_known_values *find_list(const struct wcm_trace_options *options)
{
	const struct wcm_brought *brought = wcm__brought_for(options->output);
	const char *path = list_asked();

	if (brought && brought->list >= 0)
		return read_brought(brought->list);
	return path ? read_list(path) : NULL;
}

void wcm__values_ask(const struct wcm_trace_options *options)
{
	static char *kept;

	free(kept);
	asked = kept = options->arguments && *options->arguments ? strdup(options->arguments) :
								    NULL;
	list = asked && WCM_PASSED_IS_KNOWN ? find_list(options) : NULL;
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
	else if (asked && !wcm__system_calls_are_on() && !is_any_known())
		complain("no arguments are shown: none are known of what is traced; hooks of "
			 "-finstrument-functions tell none, and library functions are traced by "
			 "--library-calls", NULL, "");
}
