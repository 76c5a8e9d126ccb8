/* SPDX-License-Identifier: MIT */
/* value_specs.c - of what kinds the values are that a recording has of a function's calls.
 *
 *	argspec:area@arg1/d32,arg2/s;^str@arg1/s
 *	retspec:area@retval/f64
 *
 * Functions are named by patterns: regular expressions, or globs where a line says so, of which
 * most are plain names.  What argauto and retauto say counts where these say nothing; enumauto
 * lists enumerations as C does.  Several items of one function add up.
 */
#include "recording/value_specs.h"

#include <ctype.h>
#include <fnmatch.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

enum { WORD = 8, LONGEST = 256 };

/* Where uftrace has found a value, in the order of the data. */
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

/* The place and number of a value that TEXT begins with; what is behind, or NULL. */
static const char *read_place(const char *text, struct value_spec *spec)
{
	static const struct { const char *word; uint8_t place; } words[] = {
		{ "arg", BY_NUMBER }, { "fparg", FLOATING },
	};
	char *end;

	if (strncmp(text, "retval", 6) == 0)
		return text + 6;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const size_t length = strlen(words[i].word);

		if (strncmp(text, words[i].word, length) != 0 ||
		    !isdigit((unsigned char)text[length]))
			continue;
		spec->place = words[i].place;
		spec->number = (uint8_t)strtoul(text + length, &end, 10);
		return end;
	}
	return NULL;
}

/* What is behind the slash: a letter, and bits; a number alone is of floating point. */
static void read_format(struct value_specs *specs, const char *text, struct value_spec *spec)
{
	const char letter = *text, *name = strchr(text, ':');
	const bool is_letter = isalpha((unsigned char)letter);
	unsigned long bits;

	if ((letter == 'e' || letter == 't') && name)
		spec->names = enumeration_of(specs, name + 1);
	if (is_letter)
		spec->format = letter;
	bits = strtoul(text + is_letter, NULL, 10);
	if (letter == 't')
		spec->size = (uint16_t)bits;
	else if (bits >= 8 && bits <= 128)
		spec->size = (uint16_t)(bits / 8);
	if (letter == 'c')
		spec->size = 1;
	if (letter == 's' || letter == 'S')
		spec->size = 0;
}

/* False: TEXT is none that is known, so that what follows it in the data is not, either. */
static bool read_spec(struct value_specs *specs, char *text, struct value_spec *spec)
{
	const char *rest;
	char *where;

	*spec = (struct value_spec){ .format = 'd', .size = WORD };
	rest = read_place(text, spec);
	if (!rest)
		return false;
	if (spec->place == FLOATING)
		spec->format = 'f';
	where = strchr(rest, '%');
	if (where && spec->place == BY_NUMBER)
		spec->place = strncmp(where, "%stack", 6) == 0 ? ON_STACK : IN_REGISTER;
	if (where)
		*where = '\0';
	if (*rest == '/')
		read_format(specs, rest + 1, spec);
	return true;
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

void value_specs_list(struct value_specs *specs, char *text, struct value_kinds *kinds)
{
	size_t room = 0;
	char *value;

	while ((value = strsep(&text, ","))) {
		struct value_spec spec, *grown;

		if (!read_spec(specs, value, &spec))
			continue;
		grown = grow(kinds->spec, kinds->count, &room, sizeof(*grown));
		if (!grown)
			break;
		kinds->spec = grown;
		kinds->spec[kinds->count++] = spec;
	}
}

/* TEXT is "NAME@VALUE,...". */
static void read_item(struct value_specs *specs, struct items *items, char *text)
{
	char *values = strchr(text, '@');
	struct item *more, item = { 0 };

	if (!values)
		return;
	*values++ = '\0';
	value_specs_list(specs, values, &item.kinds);
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

static void read_items(struct value_specs *specs, struct items *items, char *list)
{
	char *text;

	while ((text = strsep(&list, ";")))
		read_item(specs, items, text);
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
			read_items(specs, &items[keys[i].back], line + 8);
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

static int compare(const void *a, const void *b)
{
	const struct value_spec *one = a, *other = b;

	return one->place != other->place ? one->place - other->place :
					    one->number - other->number;
}

/* A value that KINDS have already is the one that counts. */
static void add_spec(struct value_kinds *kinds, const struct value_spec *spec)
{
	struct value_spec *more;

	for (size_t i = 0; i < kinds->count; i++)
		if (compare(&kinds->spec[i], spec) == 0)
			return;
	more = reallocarray(kinds->spec, kinds->count + 1, sizeof(*more));
	if (!more)
		return;
	kinds->spec = more;
	more[kinds->count++] = *spec;
}

static void add_matching(const struct value_specs *specs, const struct items *items,
			 const char *name, struct value_kinds *kinds)
{
	for (size_t i = 0; i < items->count; i++)
		if (matches(specs, &items->item[i], name))
			for (size_t k = 0; k < items->item[i].kinds.count; k++)
				add_spec(kinds, &items->item[i].kinds.spec[k]);
}

static void find(struct value_specs *specs, const char *name, bool back, struct found *found)
{
	struct value_kinds *kinds = &found->kinds;

	add_matching(specs, &specs->said[back], name, kinds);
	found->is_said = kinds->count > 0;
	if (kinds->count == 0)
		add_matching(specs, &specs->automatic[back], name, kinds);
	if (kinds->count > 0)
		qsort(kinds->spec, kinds->count, sizeof(*kinds->spec), compare);
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

const char *enumeration_next(const struct enumeration *names, uint64_t *value, size_t *begin)
{
	for (size_t i = 0; *begin == 0 && i < names->count; i++)
		if ((uint32_t)names->member[i].value == (uint32_t)*value) {
			*begin = names->count;
			*value = 0;
			return names->member[i].name;
		}
	while (*begin < names->count) {
		const struct member *member = &names->member[names->count - ++*begin];

		if (member->value == 0 || (member->value & *value) != member->value)
			continue;
		*value &= ~member->value;
		return member->name;
	}
	return NULL;
}
