/* SPDX-License-Identifier: MIT */
/* type_codes.c - says in a code each what a function is given and gives back.
 *
 * A code says how a value is shown and where it is handed over, by the psABI's classes (3.2.3).
 * Behind a parameter of which that is not known, the next cannot be found.
 */
#include "prototypes/type_codes.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "prototypes/type_fields.h"

enum {
	CODE_ROOM = 16,
	WORDS_MOST = 'z' - '0', /* of what is in memory */
};

static const char unknown[] = ".";

static bool is_character(Dwarf_Die *type)
{
	const char *name = dwarf_tag(type) == DW_TAG_base_type ? dwarf_diename(type) : NULL;

	return name && strcmp(name, "char") == 0;
}

/* Of integers of SIZE bytes. */
static const char *integer(Dwarf_Word size, bool has_sign)
{
	switch (size) {
	case 1: return has_sign ? "a" : "A";
	case 2: return has_sign ? "h" : "H";
	case 4: return has_sign ? "i" : "I";
	case 8: return has_sign ? "l" : "L";
	case 16: return has_sign ? "q" : "Q";
	default: return unknown;
	}
}

static const char *floating(Dwarf_Word size, const char *name)
{
	switch (size) {
	case 4: return "f";
	case 8: return "d";
	case 16: return name && strstr(name, "long double") ? "e" : unknown;
	default: return unknown;
	}
}

/* Both parts are in one word, or in two, or in memory; as a result those are in registers of
 * which nothing is known. */
static const char *complex_floating(Dwarf_Word size, bool is_result)
{
	switch (size) {
	case 8: return "{d}";
	case 16: return "{dd}";
	case 32: return is_result ? unknown : "M4";
	default: return unknown;
	}
}

static uint64_t size_of(Dwarf_Die *type)
{
	return type_number(type, DW_AT_byte_size, 0);
}

static const char *number(Dwarf_Die *type, bool is_result)
{
	const uint64_t encoding = type_number(type, DW_AT_encoding, 0), size = size_of(type);

	switch (encoding) {
	case DW_ATE_boolean:
		return size == 1 ? "b" : integer(size, false);
	case DW_ATE_signed_char: case DW_ATE_unsigned_char:
		return is_character(type) ? "c" : integer(size, encoding == DW_ATE_signed_char);
	case DW_ATE_signed:
		return integer(size, true);
	case DW_ATE_unsigned: case DW_ATE_UTF:
		return integer(size, false);
	case DW_ATE_float:
		return floating(size, dwarf_diename(type));
	case DW_ATE_complex_float:
		return complex_floating(size, is_result);
	default:
		return unknown;
	}
}

static const char *pointer(Dwarf_Die *type)
{
	Dwarf_Die to;

	if (!type_of(type, &to, NULL))
		return "p";
	if (dwarf_tag(&to) == DW_TAG_subroutine_type)
		return "F";
	return dwarf_tag(type) == DW_TAG_pointer_type && is_character(&to) ? "s" : "p";
}

/* Of a size of its own, or that of the type below it; without one, its enumerators tell of the
 * sign. */
static void put_enumeration(Dwarf_Die *type, struct enums *enums, const char *name,
			    char code[static CODE_ROOM])
{
	const uint64_t size = size_of(type);
	const unsigned listed = enums_add(enums, type, name);
	const char *plain = integer(size, enums_have_sign(type));
	Dwarf_Die below;

	if (type_of(type, &below, NULL) && dwarf_tag(&below) == DW_TAG_base_type)
		plain = number(&below, false);
	if (*plain == 'b' || *plain == 'c')
		plain = integer(size, *plain == 'c');
	if (*plain == *unknown || listed == ENUMS_NONE)
		snprintf(code, CODE_ROOM, "%s", plain);
	else
		snprintf(code, CODE_ROOM, "E%u%s", listed, plain);
}

/* WORDS of memory are as many as there are, or as can be said. */
static void put_memory(uint64_t size, unsigned alignment, bool is_result,
		       char code[static CODE_ROOM])
{
	uint64_t words = (size + FIELDS_WORD - 1) / FIELDS_WORD;

	if (!is_result && (words > WORDS_MOST || alignment > FIELDS_MOST)) {
		strcpy(code, unknown);
		return;
	}
	code[0] = alignment > FIELDS_WORD ? 'M' : 'm';
	code[1] = (char)('0' + (words > WORDS_MOST ? WORDS_MOST : words));
	code[2] = '\0';
}

static void put_struct(Dwarf_Die *type, bool is_result, char code[static CODE_ROOM])
{
	const uint64_t size = size_of(type);
	struct type_fields fields;
	char *to = code;

	if (type_goes_by_address(type)) {
		strcpy(code, is_result ? "m1" : "p");
		return;
	}
	fields = type_fields_of(type, size);
	if (fields.is_unknown) {
		strcpy(code, unknown);
	} else if (is_result && fields.is_extended) {
		strcpy(code, fields.count == 1 ? "e" : "m2");
	} else if (fields.in_memory) {
		put_memory(size, fields.alignment, is_result, code);
	} else {
		const bool is_wide = fields.alignment > FIELDS_WORD;

		*to++ = is_wide ? '[' : '{';
		for (unsigned i = 0; i < 2 && fields.word[i] != WORD_EMPTY; i++)
			*to++ = fields.word[i] == WORD_FLOATING ? 'd' : 'l';
		*to++ = is_wide ? ']' : '}';
		*to = '\0';
	}
}

static void put_type(Dwarf_Die *type, struct enums *enums, const char *name, bool is_result,
		     char code[static CODE_ROOM])
{
	Dwarf_Die to;

	switch (dwarf_tag(type)) {
	case DW_TAG_base_type:
		strcpy(code, number(type, is_result));
		break;
	case DW_TAG_pointer_type: case DW_TAG_reference_type: case DW_TAG_rvalue_reference_type:
		strcpy(code, pointer(type));
		break;
	case DW_TAG_unspecified_type:
		strcpy(code, "p");
		break;
	case DW_TAG_enumeration_type:
		put_enumeration(type, enums, name, code);
		break;
	case DW_TAG_structure_type: case DW_TAG_class_type: case DW_TAG_union_type:
		put_struct(type, is_result, code);
		break;
	case DW_TAG_ptr_to_member_type:
		strcpy(code, type_of(type, &to, NULL) &&
					     dwarf_tag(&to) == DW_TAG_subroutine_type ?
				     "{ll}" : "l");
		break;
	default:
		strcpy(code, unknown);
	}
}

/* What is given back in an unknown way takes nothing from the parameters. */
static void put_result(Dwarf_Die *function, struct enums *enums, char code[static CODE_ROOM])
{
	const char *name = NULL;
	Dwarf_Die type;

	strcpy(code, "v");
	if (!type_of(function, &type, &name))
		return;
	put_type(&type, enums, name, true, code);
	if (strcmp(code, unknown) == 0)
		strcpy(code, "v");
}

void type_codes_of(Dwarf_Die *function, struct enums *enums, char codes[static TYPE_CODES_MOST])
{
	char code[CODE_ROOM];
	size_t length;
	Dwarf_Die entry, type;

	put_result(function, enums, codes);
	length = strlen(codes);
	if (dwarf_child(function, &entry) != 0)
		return;
	do {
		const char *name = NULL;

		if (dwarf_tag(&entry) == DW_TAG_unspecified_parameters)
			strcpy(code, unknown);
		else if (dwarf_tag(&entry) != DW_TAG_formal_parameter)
			continue;
		else if (length + 2 * CODE_ROOM > TYPE_CODES_MOST || !type_of(&entry, &type, &name))
			strcpy(code, unknown);
		else
			put_type(&type, enums, name, false, code);
		strcpy(codes + length, code);
		length += strlen(code);
	} while (strcmp(code, unknown) != 0 && dwarf_siblingof(&entry, &entry) == 0);
}
