/* SPDX-License-Identifier: MIT */
/* enums.c - lists enumerations, each once.
 *
 * A line each, "enum color RED=0,GREEN=5", which prototypes below refer to by its number.  Each
 * unit describes the enumerations of its headers once more: what is alike is one.  Recordings know
 * enumerations by name, so that others of the same name get a number behind it.
 */
#include "prototypes/enums.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { NAME_ROOM = 128, MEMBERS_MOST = 4096, ALIKE_MOST = 64, SLOTS = 2 * ENUMS_MOST };

struct listed {
	char *name, *members;
	unsigned number;
};

struct enums {
	FILE *list;
	unsigned count;
	struct listed slot[SLOTS]; /* by name */
};

struct enums *enums_new(FILE *list)
{
	struct enums *enums = calloc(1, sizeof(*enums));

	if (enums)
		enums->list = list;
	return enums;
}

/* The place of NAME, which is empty where there is none of it. */
static struct listed *slot_of(struct enums *enums, const char *name)
{
	size_t at = hash_slot(name, strlen(name)) % SLOTS;

	while (enums->slot[at].name && strcmp(enums->slot[at].name, name) != 0)
		at = (at + 1) % SLOTS;
	return &enums->slot[at];
}

static bool is_word(const char *text)
{
	return *text && !(*text >= '0' && *text <= '9') &&
	       !text[strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				  "0123456789_")];
}

/* The value of an enumerator: what has a form of its own for a sign may have one. */
static bool value_of(Dwarf_Die *member, int64_t *value)
{
	Dwarf_Attribute attribute;
	Dwarf_Word plain;
	Dwarf_Sword with_sign;
	unsigned form;

	if (!dwarf_attr(member, DW_AT_const_value, &attribute))
		return false;
	form = dwarf_whatform(&attribute);
	if (form == DW_FORM_sdata || form == DW_FORM_implicit_const) {
		*value = dwarf_formsdata(&attribute, &with_sign) == 0 ? with_sign : 0;
		return true;
	}
	*value = dwarf_formudata(&attribute, &plain) == 0 ? (int64_t)plain : 0;
	return true;
}

static void write_members(FILE *to, Dwarf_Die *type)
{
	const char *before = "";
	unsigned count = 0;
	Dwarf_Die member;
	int64_t value;

	if (dwarf_child(type, &member) != 0)
		return;
	do {
		const char *name = dwarf_tag(&member) == DW_TAG_enumerator ?
					   dwarf_diename(&member) : NULL;

		if (!name || !is_word(name) || !value_of(&member, &value))
			continue;
		fprintf(to, "%s%s=%" PRId64, before, name, value);
		before = ",";
	} while (++count < MEMBERS_MOST && dwarf_siblingof(&member, &member) == 0);
}

bool enums_have_sign(Dwarf_Die *type)
{
	Dwarf_Die member;
	int64_t value;

	if (dwarf_child(type, &member) != 0)
		return false;
	do
		if (dwarf_tag(&member) == DW_TAG_enumerator && value_of(&member, &value) &&
		    value < 0)
			return true;
	while (dwarf_siblingof(&member, &member) == 0);
	return false;
}

/* The enumerators of TYPE, the caller's to free; NULL: there are none. */
static char *members_of(Dwarf_Die *type)
{
	char *members = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&members, &size);

	if (!to)
		return NULL;
	write_members(to, type);
	if (fclose(to) == 0 && size > 0)
		return members;
	free(members);
	return NULL;
}

/* The place of NAME or of NAME and a number, which is empty or has MEMBERS; NULL: there are too
 * many of that name. */
static struct listed *place_of(struct enums *enums, const char *name, const char *members,
			       char numbered[static NAME_ROOM])
{
	snprintf(numbered, NAME_ROOM, "%.*s", NAME_ROOM - 16, name);
	for (unsigned i = 2; i < ALIKE_MOST; i++) {
		struct listed *slot = slot_of(enums, numbered);

		if (!slot->name || strcmp(slot->members, members) == 0)
			return slot;
		snprintf(numbered, NAME_ROOM, "%.*s_%u", NAME_ROOM - 16, name, i);
	}
	return NULL;
}

unsigned enums_add(struct enums *enums, Dwarf_Die *type, const char *other_name)
{
	const char *name = dwarf_diename(type);
	char numbered[NAME_ROOM], *members = members_of(type);
	struct listed *slot;

	name = name ? name : other_name;
	name = name && is_word(name) ? name : "unnamed";
	slot = members ? place_of(enums, name, members, numbered) : NULL;
	if (slot && slot->name) {
		free(members);
		return slot->number;
	}
	if (!slot || enums->count == ENUMS_MOST || !(slot->name = strdup(numbered))) {
		free(members);
		return ENUMS_NONE;
	}
	slot->members = members;
	slot->number = enums->count++;
	fprintf(enums->list, "enum %s %s\n", slot->name, members);
	return slot->number;
}
