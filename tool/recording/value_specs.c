/* SPDX-License-Identifier: MIT */
/* value_specs.c - finds the kinds of a function's values by its name, in a recording's info.
 *
 *	argspec:area@arg1/d32,arg2/s;^str@arg1/s
 *	retspec:area@retval/f64
 *
 * Functions are named by patterns: regular expressions, or globs where a line says so, of which
 * most are plain names.  What argauto and retauto say counts where these say nothing; enumauto
 * lists enumerations as C does.  Several items of one function add up: values are in the order in
 * which they are first specified, and the last specification of each counts.
 */
#include "recording/value_specs.h"

#include <ctype.h>
#include <fnmatch.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "base/number.h"

enum { WORD = 8, LONGEST = 256 };

/* Where uftrace has found a value. */
enum { BY_NUMBER, FLOATING, IN_REGISTER, ON_STACK };

struct member {
	char *name;
	uint64_t value;
};

struct enumeration {
	char *name;
	struct member *member;
	size_t count, room;
	struct enumeration *next;
};

/* What a line says of the functions of a pattern. */
struct item {
	char *pattern;        /* of a name, as it is shown */
	bool is_linkers;      /* it was a linker's name: no expression */
	bool is_exact;        /* it is a name, and nothing that matches several */
	regex_t expression;
	bool is_expression;
	struct value_kinds kinds;
};

/* The items of one line, and those that count only where it has none. */
struct items {
	struct item *item;
	size_t count, room;
};

/* What was found before, by the function's index. */
struct found {
	struct value_kinds kinds;
	bool is_known, is_said;
};

struct value_specs {
	struct items said[2], automatic[2]; /* of what is given, and of what is given back */
	struct found *found[2];
	size_t found_count[2];
	struct enumeration *enumerations;
	enum name_style style;
	bool are_globs, are_ready; /* READY: expressions are compiled */
};

struct value_specs *value_specs_new(enum name_style style)
{
	struct value_specs *specs = calloc(1, sizeof(*specs));

	if (specs)
		specs->style = style;
	return specs;
}

static void free_items(struct items *items)
{
	for (size_t i = 0; i < items->count; i++) {
		free(items->item[i].pattern);
		free(items->item[i].kinds.spec);
		if (items->item[i].is_expression)
			regfree(&items->item[i].expression);
	}
	free(items->item);
}

static void free_enumerations(struct enumeration *each)
{
	while (each) {
		struct enumeration *next = each->next;

		for (size_t i = 0; i < each->count; i++)
			free(each->member[i].name);
		free(each->member);
		free(each->name);
		free(each);
		each = next;
	}
}

void value_specs_free(struct value_specs *specs)
{
	if (!specs)
		return;
	for (int back = 0; back < 2; back++) {
		free_items(&specs->said[back]);
		free_items(&specs->automatic[back]);
		for (size_t i = 0; i < specs->found_count[back]; i++)
			free(specs->found[back][i].kinds.spec);
		free(specs->found[back]);
	}
	free_enumerations(specs->enumerations);
	free(specs);
}

/* The enumeration NAME; it may be listed later.  NULL: no memory. */
static struct enumeration *enumeration_of(struct value_specs *specs, const char *name)
{
	struct enumeration *each = specs->enumerations;

	while (each && strcmp(each->name, name) != 0)
		each = each->next;
	if (each || !(each = calloc(1, sizeof(*each))))
		return each;
	each->name = strdup(name);
	if (!each->name) {
		free(each);
		return NULL;
	}
	each->next = specs->enumerations;
	return specs->enumerations = each;
}

/* The place and number of a value that *TEXT begins with, which is passed over.  False: it is
 * none. */
static bool read_place(char **text, struct value_spec *spec)
{
	static const struct { const char *word; uint8_t place; } words[] = {
		{ "arg", BY_NUMBER }, { "fparg", FLOATING },
	};
	char *end;

	if (strncmp(*text, "retval", 6) == 0) {
		*text += 6;
		spec->is_back = true;
		return true;
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const size_t length = strlen(words[i].word);

		if (strncmp(*text, words[i].word, length) != 0 ||
		    !isdigit((unsigned char)(*text)[length]))
			continue;
		spec->place = words[i].place;
		spec->number = strtoul(*text + length, &end, 0);
		*text = end;
		return true;
	}
	return false;
}

/* The bits at TEXT, if there are any.  False: no value has as many. */
static bool read_size(const char *text, struct value_spec *spec)
{
	uint64_t bits;
	const bool is_number = number_is(text, 8, 80, &bits);
	const bool is_usual = bits == 8 || bits == 16 || bits == 32 || bits == 64;

	if (*text && (!is_number || (!is_usual && (bits != 80 || spec->format != 'f'))))
		return false;
	if (*text && !value_spec_is_string(spec))
		spec->size = (uint16_t)(bits / 8);
	return true;
}

/* What is behind the slash: a letter, and bits; a number alone is of floating point.  False: it is
 * nothing that is known. */
static bool read_format(struct value_specs *specs, char *text, struct value_spec *spec)
{
	char *name = strchr(text, ':');
	uint64_t size;

	if (spec->place == FLOATING && isdigit((unsigned char)*text))
		return strtoul(text, NULL, 10) >= 32 && read_size(text, spec);
	if (!*text || !strchr("diuxocfsSpet", *text))
		return false;
	spec->format = *text++;
	if (spec->format == 'f')
		spec->place = FLOATING;
	if (spec->format == 'c')
		spec->size = 1;
	if (value_spec_is_string(spec))
		spec->size = 0;
	if (name)
		*name++ = '\0';
	if (name && (spec->format == 'e' || spec->format == 't'))
		spec->names = enumeration_of(specs, name);
	if (spec->format != 't')
		return read_size(text, spec);
	spec->size = number_is(text, 0, UINT16_MAX, &size) ? (uint16_t)size : 0;
	return true;
}

/* WHERE is behind the percent sign: "stack+1", or a register, of either kind.  False: neither. */
static bool read_where(const char *where, struct value_spec *spec)
{
	const bool is_on_stack = strncmp(where, "stack", 5) == 0;

	spec->place = is_on_stack ? ON_STACK : IN_REGISTER;
	spec->number = hash_more(HASH_OF_NOTHING, where, strlen(where));
	return !is_on_stack ||
	       number_is(number_behind(where, "stack+"), 0, INT32_MAX, &spec->number);
}

/* False: TEXT is none that is known. */
static bool read_spec(struct value_specs *specs, char *text, struct value_spec *spec)
{
	char *rest = text, *where = strchr(text, '%');

	*spec = (struct value_spec){ .format = 'd', .size = WORD };
	if (where)
		*where++ = '\0';
	if (!read_place(&rest, spec))
		return false;
	if (spec->place == FLOATING)
		spec->format = 'f';
	if (*rest && (*rest != '/' || !read_format(specs, rest + 1, spec)))
		return false;
	return !where || read_where(where, spec);
}

static bool is_plain(const char *pattern)
{
	return !pattern[strcspn(pattern, ".?*+-^$|()[]{}")];
}

/* NAME, as functions are named; a linker's name is demangled, as they are. */
static char *pattern_of(const struct value_specs *specs, const char *name)
{
	bool typed;

	return strncmp(name, "_Z", 2) == 0 ? function_set_styled(specs->style, name, &typed) :
					     strdup(name);
}

/* Put one more behind KINDS, which have ROOM for so many.  False: no memory. */
static bool add_listed(struct value_kinds *kinds, size_t *room, const struct value_spec *spec)
{
	struct value_spec *grown = grow(kinds->spec, kinds->count, room, sizeof(*grown));

	if (!grown)
		return false;
	kinds->spec = grown;
	grown[kinds->count++] = *spec;
	return true;
}

/* Whether TEXT is what a call has done besides, such as "time=1us", which is no value. */
static bool is_action(const char *text)
{
	static const char *const words[] = {
		"auto-args", "backtrace", "color=", "depth=", "filter", "finish", "hide",
		"notrace", "read=", "recover", "size=", "time=", "trace", "trace-on", "trace-off",
		"trace_on", "trace_off", "caller",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const size_t length = strlen(words[i]);

		if (strncmp(text, words[i], length) == 0 &&
		    (words[i][length - 1] == '=' || !text[length]))
			return true;
	}
	return false;
}

/* What begins with none of the words for a value names the module. */
static bool is_module(const char *text)
{
	return strncmp(text, "arg", 3) != 0 && strncmp(text, "fparg", 5) != 0 &&
	       strncmp(text, "retval", 6) != 0;
}

void value_specs_list(struct value_specs *specs, char *text, bool back,
		      struct value_kinds *kinds)
{
	struct value_spec spec;
	size_t room = 0;
	char *value;

	if (is_module(text) && !is_action(text))
		strsep(&text, ",");
	while ((value = strsep(&text, ","))) {
		if (is_action(value))
			continue;
		if (!read_spec(specs, value, &spec) ||
		    (spec.is_back == back && !add_listed(kinds, &room, &spec))) {
			kinds->count = 0;
			return;
		}
	}
}

/* TEXT is "NAME@VALUE,...". */
static void read_item(struct value_specs *specs, struct items *items, bool back, char *text)
{
	char *values = strchr(text, '@');
	struct item *more, item = { 0 };

	if (!values)
		return;
	*values++ = '\0';
	value_specs_list(specs, values, back, &item.kinds);
	item.is_linkers = strncmp(text, "_Z", 2) == 0;
	item.pattern = pattern_of(specs, text);
	more = grow(items->item, items->count, &items->room, sizeof(*more));
	if (more) {
		items->item = more;
		items->item[items->count++] = item;
		return;
	}
	free(item.pattern);
	free(item.kinds.spec);
}

static void read_items(struct value_specs *specs, struct items *items, bool back, char *list)
{
	char *text;

	while ((text = strsep(&list, ";")))
		read_item(specs, items, back, text);
}

/* TEXT is "NAME = VALUE", or without the latter one more than the one before. */
static void read_member(struct enumeration *to, char *text)
{
	char *name = text + strspn(text, " \t"), *value = strchr(name, '=');
	struct member *more = grow(to->member, to->count, &to->room, sizeof(*more));

	if (more)
		to->member = more;
	if (!more || !*name)
		return;
	more[to->count].value = value ? strtoull(value + 1, NULL, 0) :
				to->count > 0 ? more[to->count - 1].value + 1 : 0;
	name[strcspn(name, " \t=")] = '\0';
	more[to->count].name = strdup(name);
	to->count += more[to->count].name != NULL;
}

/* TEXT is "enum NAME { A, B = 4, }". */
void value_specs_enumerate(struct value_specs *specs, char *text)
{
	struct enumeration *made;
	char *members = strchr(text, '{'), *name = strstr(text, "enum "), *member;

	if (!members || !name || name > members)
		return;
	*members++ = '\0';
	members[strcspn(members, "}")] = '\0';
	name += strlen("enum ");
	name[strcspn(name, " ")] = '\0';
	made = enumeration_of(specs, name);
	while (made && (member = strsep(&members, ",")))
		read_member(made, member);
}

static void read_enumerations(struct value_specs *specs, char *list)
{
	char *text;

	while ((text = strsep(&list, ";")))
		value_specs_enumerate(specs, text);
}

void value_specs_read(struct value_specs *specs, char *line)
{
	static const struct { const char *key; bool is_automatic, back; } keys[] = {
		{ "argspec:", false, false }, { "retspec:", false, true },
		{ "argauto:", true, false }, { "retauto:", true, true },
	};

	if (strncmp(line, "enumauto:", 9) == 0)
		read_enumerations(specs, line + 9);
	if (strcmp(line, "pattern_type:glob") == 0)
		specs->are_globs = true;
	if (strncmp(line, "argspec:lines=", 14) == 0)
		return;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		struct items *items = keys[i].is_automatic ? specs->automatic : specs->said;

		if (strncmp(line, keys[i].key, 8) == 0)
			read_items(specs, &items[keys[i].back], keys[i].back, line + 8);
	}
}

/* Whether TEXT is an expression that takes no more memory and time than its length lets expect:
 * without repetitions by number and references to what was matched. */
static bool is_tame(const char *text)
{
	return strlen(text) <= LONGEST && !strchr(text, '{') && !strchr(text, '\\');
}

static void prepare(const struct value_specs *specs, struct items *items)
{
	for (size_t i = 0; i < items->count; i++) {
		struct item *item = &items->item[i];

		item->is_exact = item->is_linkers || (item->pattern && is_plain(item->pattern));
		item->is_expression = item->pattern && !item->is_linkers && !specs->are_globs &&
				      !is_plain(item->pattern) && is_tame(item->pattern) &&
				      regcomp(&item->expression, item->pattern,
					      REG_NOSUB | REG_EXTENDED) == 0;
	}
}

static bool matches(const struct value_specs *specs, const struct item *item, const char *name)
{
	if (!item->pattern)
		return false;
	if (item->is_expression)
		return regexec(&item->expression, name, 0, NULL, 0) == 0;
	return strcmp(item->pattern, name) == 0 ||
	       (specs->are_globs && fnmatch(item->pattern, name, 0) == 0);
}

/* A value that KINDS have already is where it was; an item that matches a name does not change what
 * one that names the function has said of it. */
static void add_spec(struct value_kinds *kinds, const struct value_spec *spec, bool is_exact)
{
	struct value_spec *more;
	size_t at = 0;

	while (at < kinds->count && (kinds->spec[at].place != spec->place ||
				     kinds->spec[at].number != spec->number))
		at++;
	if (at < kinds->count && kinds->spec[at].is_exact && !is_exact)
		return;
	if (at == kinds->count) {
		more = reallocarray(kinds->spec, kinds->count + 1, sizeof(*more));
		if (!more)
			return;
		kinds->spec = more;
		kinds->count++;
	}
	kinds->spec[at] = *spec;
	kinds->spec[at].is_exact = is_exact;
}

static void add_matching(const struct value_specs *specs, const struct items *items,
			 const char *name, struct value_kinds *kinds)
{
	for (size_t i = 0; i < items->count; i++) {
		const struct item *item = &items->item[i];

		if (matches(specs, item, name))
			for (size_t k = 0; k < item->kinds.count; k++)
				add_spec(kinds, &item->kinds.spec[k], item->is_exact);
	}
}

static void find(struct value_specs *specs, const char *name, bool back, struct found *found)
{
	struct value_kinds *kinds = &found->kinds;

	add_matching(specs, &specs->said[back], name, kinds);
	found->is_said = kinds->count > 0;
	if (kinds->count == 0)
		add_matching(specs, &specs->automatic[back], name, kinds);
}

/* The place for what is found of the function with INDEX; NULL: no memory. */
static struct found *found_of(struct value_specs *specs, size_t index, bool back)
{
	const size_t count = specs->found_count[back], wanted = index + index / 2 + 64;
	struct found *more;

	if (index < count)
		return &specs->found[back][index];
	more = reallocarray(specs->found[back], wanted, sizeof(*more));
	if (!more)
		return NULL;
	memset(more + count, 0, (wanted - count) * sizeof(*more));
	specs->found[back] = more;
	specs->found_count[back] = wanted;
	return &more[index];
}

const struct value_kinds *value_specs_find(struct value_specs *specs,
					   const struct function *function, bool back,
					   const struct value_kinds *otherwise)
{
	struct found *found = specs ? found_of(specs, function->index, back) : NULL;

	if (!found)
		return otherwise;
	for (int i = 0; i < 2 && !specs->are_ready; i++) {
		prepare(specs, &specs->said[i]);
		prepare(specs, &specs->automatic[i]);
	}
	specs->are_ready = true;
	if (!found->is_known)
		find(specs, function->name, back, found);
	found->is_known = true;
	if (otherwise && !found->is_said)
		return otherwise;
	return found->kinds.count > 0 ? &found->kinds : NULL;
}

const char *enumeration_name(const struct enumeration *names)
{
	return names->name;
}

bool enumeration_is_listed(const struct enumeration *names)
{
	return names->count > 0;
}

const char *enumeration_next(const struct enumeration *names, int32_t *value, size_t *begin)
{
	for (size_t i = 0; *begin == 0 && i < names->count; i++)
		if ((int32_t)names->member[i].value == *value) {
			*value = 0;
			*begin = names->count;
			return names->member[i].name;
		}
	while (*value != 0 && *begin < names->count) {
		const struct member *member = &names->member[names->count - ++*begin];

		if ((int32_t)member->value > *value)
			continue;
		*value = (int32_t)((uint32_t)*value - (uint32_t)member->value);
		return member->name;
	}
	return NULL;
}
