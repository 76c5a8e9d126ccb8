/* SPDX-License-Identifier: MIT */
/* list_module.c - lists the prototypes of a module's functions with sleds, by its debug data, and
 * those of a library's functions that a program calls.
 *
 * Each entry of debug data that has code and a sled is a line: /usr/bin/program+0x1136 iis.  What
 * optimization has made other parameters for is left out: debug data has those of the source.
 */
#include "prototypes/hand_over.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <whocallme.h>

#include "base/complain.h"
#include "base/grow.h"
#include "debug/entries.h"
#include "debug/split.h"
#include "format/glob.h"
#include "launch/hooks.h"
#include "modules/file_sleds.h"
#include "modules/module_files.h"
#include "prototypes/enums.h"

enum { FIELDS_WORD = 8, FIELDS_MOST = 2 * FIELDS_WORD };

struct type_fields {
	enum { WORD_EMPTY, WORD_FLOATING, WORD_INTEGER } word[2];
	unsigned alignment; /* of all, in bytes */
	unsigned count;     /* of what is no struct itself */
	bool in_memory;     /* not in registers */
	bool is_extended;   /* there is a long double in it */
	bool is_unknown;    /* there is something in it that nothing is known of */
};

/* Tells of which words a struct consists, and whether it is in registers.
 *
 * The psABI (3.2.3) looks at two words at most: each is of floating point if all in it is.  What is
 * larger, or not aligned, is in memory.  Of C++ classes the Itanium ABI (3.1) hands over the
 * address of a copy where copying takes code. */

enum { DEEPEST = 16, NAMES_MOST = 64, EXTENDED = 16 };

static void add_type(struct type_fields *fields, Dwarf_Die *type, uint64_t at, unsigned depth);

/* Have TYPE be that of ENTRY, without names and qualifiers of it; *NAME, which may be NULL, the
 * innermost of these names.  False: it is void, or cannot be read. */
static bool type_of(Dwarf_Die *entry, Dwarf_Die *type, const char **name)
{
	Dwarf_Attribute attribute;
	Dwarf_Die at = *entry;

	for (unsigned i = 0; i < NAMES_MOST; i++) {
		if (!dwarf_attr_integrate(&at, DW_AT_type, &attribute) ||
		    !dwarf_formref_die(&attribute, type))
			return false;
		switch (dwarf_tag(type)) {
		case DW_TAG_typedef:
			if (name)
				*name = dwarf_diename(type);
			break;
		case DW_TAG_const_type: case DW_TAG_volatile_type: case DW_TAG_restrict_type:
		case DW_TAG_atomic_type: case DW_TAG_immutable_type: case DW_TAG_packed_type:
		case DW_TAG_shared_type:
			break;
		default:
			/* What a unit of types describes is declared where it is used. */
			if (dwarf_attr(type, DW_AT_signature, &attribute))
				return dwarf_formref_die(&attribute, type);
			return true;
		}
		at = *type;
	}
	return false;
}

/* What ENTRY has for the attribute NAME; OTHERWISE where that is no number, or missing. */
static uint64_t type_number(Dwarf_Die *entry, unsigned name, uint64_t otherwise)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	return dwarf_attr(entry, name, &attribute) && dwarf_formudata(&attribute, &value) == 0 ?
		       value : otherwise;
}

static bool has_flag(Dwarf_Die *entry, unsigned name)
{
	Dwarf_Attribute attribute;
	bool value = false;

	return dwarf_attr(entry, name, &attribute) && dwarf_formflag(&attribute, &value) == 0 &&
	       value;
}

/* A field of SIZE bytes AT that offset, at least one of them, that is aligned as it is large. */
static void add(struct type_fields *fields, uint64_t at, uint64_t size, bool is_floating)
{
	if (size == 0 || size > FIELDS_MOST || at > FIELDS_MOST - size) {
		fields->is_unknown = true;
		return;
	}
	fields->count++;
	fields->in_memory |= at % size != 0;
	if (size > fields->alignment)
		fields->alignment = (unsigned)size;
	for (uint64_t i = at / FIELDS_WORD; i <= (at + size - 1) / FIELDS_WORD; i++)
		if (!is_floating || fields->word[i] == WORD_EMPTY)
			fields->word[i] = is_floating ? WORD_FLOATING : WORD_INTEGER;
}

static void add_number(struct type_fields *fields, Dwarf_Die *type, uint64_t at)
{
	const uint64_t size = type_number(type, DW_AT_byte_size, 0);
	const char *name = dwarf_diename(type);

	switch (type_number(type, DW_AT_encoding, 0)) {
	case DW_ATE_float:
		fields->is_unknown |= size != 4 && size != 8 && size != EXTENDED;
		fields->is_extended |= size == EXTENDED;
		fields->is_unknown |= size == EXTENDED && name && !strstr(name, "long double");
		add(fields, at, size, true);
		break;
	case DW_ATE_complex_float:
		fields->is_unknown |= size != 8 && size != FIELDS_MOST;
		add(fields, at, size / 2, true);
		add(fields, at + size / 2, size / 2, true);
		break;
	case DW_ATE_decimal_float: case DW_ATE_imaginary_float:
		fields->is_unknown = true;
		break;
	default:
		add(fields, at, size, false);
	}
}

/* A vector is one value; it is not known here. */
static void add_array(struct type_fields *fields, Dwarf_Die *array, uint64_t at, unsigned depth)
{
	Dwarf_Word size, whole;
	Dwarf_Die type;

	if (has_flag(array, DW_AT_GNU_vector) || !type_of(array, &type, NULL)) {
		fields->is_unknown = true;
		return;
	}
	/* One without a size, at the end of a struct, is not handed over. */
	if (dwarf_aggregate_size(array, &whole) != 0 || whole == 0)
		return;
	if (dwarf_aggregate_size(&type, &size) != 0 || size == 0 || whole > FIELDS_MOST) {
		fields->is_unknown = true;
		return;
	}
	for (uint64_t i = 0; i < whole / size; i++)
		add_type(fields, &type, at + i * size, depth);
}

/* The bits of MEMBER make the word that has them one of integers. */
static void add_bits(struct type_fields *fields, Dwarf_Die *member, uint64_t at, uint64_t count)
{
	const uint64_t old = type_number(member, DW_AT_bit_offset, UINT64_MAX);
	const uint64_t storage = type_number(member, DW_AT_byte_size, 4);
	uint64_t first = at * 8 + type_number(member, DW_AT_data_bit_offset, 0);

	if (count == 0)
		return;
	if (old != UINT64_MAX)
		first = at * 8 + storage * 8 - old - count;
	if (count > 64 || first > FIELDS_MOST * 8 - count) {
		fields->is_unknown = true;
		return;
	}
	fields->count++;
	for (uint64_t i = first / 64; i <= (first + count - 1) / 64; i++)
		fields->word[i] = WORD_INTEGER;
}

static void add_members(struct type_fields *fields, Dwarf_Die *type, uint64_t at, unsigned depth)
{
	Dwarf_Die member, of;

	if (dwarf_child(type, &member) != 0)
		return;
	do {
		const int tag = dwarf_tag(&member);
		const uint64_t bits = type_number(&member, DW_AT_bit_size, UINT64_MAX);
		const uint64_t from = at + type_number(&member, DW_AT_data_member_location, 0);

		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
		    has_flag(&member, DW_AT_external) || has_flag(&member, DW_AT_declaration))
			continue;
		if (bits != UINT64_MAX)
			add_bits(fields, &member, from, bits);
		else if (type_of(&member, &of, NULL))
			add_type(fields, &of, from, depth);
		else
			fields->is_unknown = true;
	} while (!fields->is_unknown && dwarf_siblingof(&member, &member) == 0);
}

static bool leads_to_code(Dwarf_Die *pointer)
{
	Dwarf_Die type;

	return dwarf_tag(pointer) == DW_TAG_ptr_to_member_type && type_of(pointer, &type, NULL) &&
	       dwarf_tag(&type) == DW_TAG_subroutine_type;
}

static void add_type(struct type_fields *fields, Dwarf_Die *type, uint64_t at, unsigned depth)
{
	const uint64_t alignment = type_number(type, DW_AT_alignment, 1);

	if (depth == DEEPEST || at > FIELDS_MOST || alignment > FIELDS_MOST)
		fields->is_unknown = true;
	else if (alignment > fields->alignment)
		fields->alignment = (unsigned)alignment;
	if (fields->is_unknown)
		return;
	switch (dwarf_tag(type)) {
	case DW_TAG_base_type:
		add_number(fields, type, at);
		break;
	case DW_TAG_structure_type: case DW_TAG_class_type: case DW_TAG_union_type:
		fields->is_unknown |= has_flag(type, DW_AT_declaration);
		add_members(fields, type, at, depth + 1);
		break;
	case DW_TAG_array_type:
		add_array(fields, type, at, depth + 1);
		break;
	case DW_TAG_enumeration_type:
		add(fields, at, type_number(type, DW_AT_byte_size, 4), false);
		break;
	case DW_TAG_ptr_to_member_type:
		if (leads_to_code(type))
			add(fields, at + FIELDS_WORD, FIELDS_WORD, false);
		/* fallthrough */
	case DW_TAG_pointer_type: case DW_TAG_reference_type: case DW_TAG_rvalue_reference_type:
	case DW_TAG_unspecified_type:
		add(fields, at, FIELDS_WORD, false);
		break;
	default:
		fields->is_unknown = true;
	}
}

static bool is_struct(Dwarf_Die *type)
{
	return dwarf_tag(type) == DW_TAG_structure_type || dwarf_tag(type) == DW_TAG_class_type ||
	       dwarf_tag(type) == DW_TAG_union_type;
}

/* Of TYPE, in bytes; of packed ones as if they were not: they are large where this is used. */
static unsigned alignment_of(Dwarf_Die *type, unsigned depth)
{
	unsigned most = (unsigned)type_number(type, DW_AT_alignment, 1), its;
	const int tag = dwarf_tag(type);
	Dwarf_Die member, of;
	Dwarf_Word size;

	if (tag == DW_TAG_base_type)
		return (unsigned)type_number(type, DW_AT_byte_size, 1);
	if (tag == DW_TAG_array_type && has_flag(type, DW_AT_GNU_vector))
		return dwarf_aggregate_size(type, &size) == 0 ? (unsigned)size : most;
	if (depth == DEEPEST)
		return most;
	if (tag == DW_TAG_array_type)
		return type_of(type, &of, NULL) ? alignment_of(&of, depth + 1) : most;
	if (!is_struct(type) || dwarf_child(type, &member) != 0)
		return most;
	do {
		if ((dwarf_tag(&member) == DW_TAG_member ||
		     dwarf_tag(&member) == DW_TAG_inheritance) &&
		    !has_flag(&member, DW_AT_external) && type_of(&member, &of, NULL) &&
		    (its = alignment_of(&of, depth + 1)) > most)
			most = its;
	} while (dwarf_siblingof(&member, &member) == 0);
	return most;
}

/* Of TYPE, of SIZE bytes, a struct, class or union. */
static struct type_fields type_fields_of(Dwarf_Die *type, uint64_t size)
{
	struct type_fields fields = { .alignment = 1 };

	if (size <= FIELDS_MOST) {
		add_type(&fields, type, 0, 0);
		/* A word of padding alone is in no register, and where a long double is not. */
		fields.is_unknown |= fields.word[0] == WORD_EMPTY && fields.word[1] != WORD_EMPTY;
		fields.in_memory |= fields.is_extended;
		return fields;
	}
	fields.in_memory = true;
	fields.alignment = alignment_of(type, 0);
	return fields;
}

/* Whether the function MEMBER of the class NAME is one that makes copying or its end take code. */
static bool takes_code(Dwarf_Die *member, const char *name)
{
	const char *own = dwarf_diename(member);
	Dwarf_Die parameter, type, to;
	unsigned count = 0;

	if (type_number(member, DW_AT_virtuality, 0) != 0)
		return true;
	if (!own || !name || type_number(member, DW_AT_defaulted, 0) == DW_DEFAULTED_in_class ||
	    has_flag(member, DW_AT_deleted))
		return false;
	if (own[0] == '~')
		return true;
	if (strcmp(own, name) != 0 || dwarf_child(member, &parameter) != 0)
		return false;
	do {
		if (has_flag(&parameter, DW_AT_artificial) ||
		    dwarf_tag(&parameter) != DW_TAG_formal_parameter)
			continue;
		count++;
		if (!type_of(&parameter, &type, NULL) ||
		    (dwarf_tag(&type) != DW_TAG_reference_type &&
		     dwarf_tag(&type) != DW_TAG_rvalue_reference_type) ||
		    !type_of(&type, &to, NULL) || !dwarf_diename(&to) ||
		    strcmp(dwarf_diename(&to), name) != 0)
			return false;
	} while (dwarf_siblingof(&parameter, &parameter) == 0);
	return count == 1;
}

static bool goes_by_address(Dwarf_Die *type, unsigned depth)
{
	const uint64_t said = type_number(type, DW_AT_calling_convention, 0);
	Dwarf_Die member, of;

	if (said == DW_CC_pass_by_reference || said == DW_CC_pass_by_value)
		return said == DW_CC_pass_by_reference;
	if (depth == DEEPEST || dwarf_child(type, &member) != 0)
		return false;
	do {
		const int tag = dwarf_tag(&member);

		if (tag == DW_TAG_subprogram && takes_code(&member, dwarf_diename(type)))
			return true;
		if (tag == DW_TAG_inheritance && type_number(&member, DW_AT_virtuality, 0) != 0)
			return true;
		if ((tag == DW_TAG_inheritance || tag == DW_TAG_member) &&
		    !has_flag(&member, DW_AT_external) && type_of(&member, &of, NULL) &&
		    is_struct(&of) && goes_by_address(&of, depth + 1))
			return true;
	} while (dwarf_siblingof(&member, &member) == 0);
	return false;
}

/* Whether TYPE, such a one, cannot be copied byte by byte, so that its address is handed over. */
static bool type_goes_by_address(Dwarf_Die *type)
{
	return goes_by_address(type, 0);
}

enum { TYPE_CODES_MOST = 240 };

/* Says in a code each what a function is given and gives back.
 *
 * A code says how a value is shown and where it is handed over, by the psABI's classes (3.2.3).
 * Behind a parameter of which that is not known, the next cannot be found. */

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

/* Write the codes of FUNCTION, an entry that has code, into CODES: of what it gives back, and of
 * each parameter. */
static void type_codes_of(Dwarf_Die *function, struct enums *enums,
			  char codes[static TYPE_CODES_MOST])
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

/* What is made of a module. */
struct listing {
	FILE *list;
	struct enums *enums;
	const char *path, *globs;
	struct file_sleds sleds;
	bool has_sleds;
	struct imports imports;
	struct module_files files;
	uint64_t shift;  /* the file's address less that in debug data */
	uint64_t *clone; /* where functions with other parameters are, ascending */
	size_t clones, clone_room;
	char *missing; /* of split debug data, the first, or NULL */
};

/* gcc says so in the symbol's name alone. */
static bool is_clone(const char *name)
{
	return strstr(name, ".isra.") || strstr(name, ".constprop.") || strstr(name, ".part.");
}

static int by_address(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/* Symbols are BIAS above the file's addresses. */
static void find_clones(struct listing *listing, GElf_Addr bias)
{
	const int count = dwfl_module_getsymtab(listing->files.module);

	for (int i = 0; i < count; i++) {
		GElf_Sym symbol;
		GElf_Addr address;
		const char *name = dwfl_module_getsym_info(listing->files.module, i, &symbol,
							   &address, NULL, NULL, NULL);
		uint64_t *grown;

		if (!name || GELF_ST_TYPE(symbol.st_info) != STT_FUNC || !is_clone(name))
			continue;
		grown = grow(listing->clone, listing->clones, &listing->clone_room, sizeof(*grown));
		if (!grown)
			break;
		listing->clone = grown;
		listing->clone[listing->clones++] = address - bias;
	}
	if (listing->clones > 0)
		qsort(listing->clone, listing->clones, sizeof(*listing->clone), by_address);
}

static bool matches(const char *globs, const char *name)
{
	return name && wcm__globs_match(globs, name, strlen(name));
}

static bool matches_demangled(const char *globs, const char *linkage)
{
	char *name = linkage ? wcm_name_demangle(linkage) : NULL;
	bool found = matches(globs, name);

	if (name && !found) {
		wcm_name_shorten(name);
		found = matches(globs, name);
	}
	free(name);
	return found;
}

/* Whether FUNCTION is asked for, by a name that --functions knows it by, too. */
static bool is_wanted(const struct listing *listing, Dwarf_Die *function)
{
	Dwarf_Attribute attribute;
	const char *linkage = NULL;

	if (strcmp(listing->globs, "*") == 0)
		return true;
	if (dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute) ||
	    dwarf_attr_integrate(function, DW_AT_MIPS_linkage_name, &attribute))
		linkage = dwarf_formstring(&attribute);
	return matches(listing->globs, dwarf_diename(function)) ||
	       matches(listing->globs, linkage) || matches_demangled(listing->globs, linkage);
}

/* Where FUNCTION begins in the file; false: it has no code, or its parameters are not where the
 * calling convention has them. */
static bool find_entry(const struct listing *listing, Dwarf_Die *function, uint64_t *entry)
{
	Dwarf_Attribute attribute;
	Dwarf_Addr base, high, low;
	Dwarf_Word convention;

	if (dwarf_lowpc(function, &low) != 0 && dwarf_ranges(function, 0, &base, &low, &high) <= 0)
		return false;
	*entry = low + listing->shift;
	if (dwarf_attr(function, DW_AT_calling_convention, &attribute) &&
	    dwarf_formudata(&attribute, &convention) == 0 && convention != DW_CC_normal)
		return false;
	return listing->clones == 0 ||
	       !bsearch(entry, listing->clone, listing->clones, sizeof(*entry), by_address);
}

static void list_function(struct listing *listing, Dwarf_Die *function)
{
	const struct imports *imports = &listing->imports;
	const struct import *import;
	char codes[TYPE_CODES_MOST];
	bool has_sled;
	uint64_t entry;

	if (!find_entry(listing, function, &entry))
		return;
	import = imports_at(imports, entry);
	has_sled = listing->has_sleds && is_wanted(listing, function) &&
		   file_sleds_of(&listing->sleds, entry, UINT64_MAX, 0).why == SLED_IS_THERE;
	if (!has_sled && !import)
		return;
	type_codes_of(function, listing->enums, codes);
	if (has_sled)
		fprintf(listing->list, "%s+0x%" PRIx64 " %s\n", listing->path, entry, codes);
	for (; import && import < imports->import + imports->count && import->at == entry; import++)
		if (matches(listing->globs, import->name))
			fprintf(listing->list, "%s %s\n", import->name, codes);
}

static bool is_c(Dwarf_Die *unit)
{
	enum { C17 = 0x2c, C23 = 0x3e, CXX17 = 0x2a, CXX20 = 0x2b, CXX23 = 0x3a };

	switch (dwarf_srclang(unit)) {
	case DW_LANG_C89: case DW_LANG_C: case DW_LANG_C99: case DW_LANG_C11:
	case DW_LANG_C_plus_plus: case DW_LANG_C_plus_plus_03: case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case C17: case C23: case CXX17: case CXX20: case CXX23:
	case DW_LANG_ObjC: case DW_LANG_ObjC_plus_plus:
		return true;
	default:
		return false;
	}
}

/* Functions are in namespaces, classes and other functions, too. */
static bool may_hold(Dwarf_Die *entry)
{
	switch (dwarf_tag(entry)) {
	case DW_TAG_namespace: case DW_TAG_module: case DW_TAG_subprogram:
	case DW_TAG_lexical_block: case DW_TAG_structure_type: case DW_TAG_class_type:
	case DW_TAG_union_type:
		return true;
	default:
		return false;
	}
}

static void list_unit(struct listing *listing, Dwarf_Die *unit)
{
	struct entries entries;
	char *missing;

	split_open(unit, &listing->files.split, &missing);
	if (listing->missing)
		free(missing);
	else
		listing->missing = missing;
	if (!is_c(unit))
		return;
	entries = (struct entries){ .die = *unit };
	for (bool below = true; entries_next(&entries, below); below = may_hold(&entries.die))
		if (dwarf_tag(&entries.die) == DW_TAG_subprogram)
			list_function(listing, &entries.die);
}

static void list_units(struct listing *listing)
{
	Dwarf_CU *unit = NULL;
	GElf_Addr bias = 0;
	Dwarf_Die die;
	uint8_t type;

	if (!dwfl_module_getelf(listing->files.module, &bias))
		return;
	listing->shift = listing->files.bias - bias;
	find_clones(listing, bias);
	while (dwarf_get_units(listing->files.dwarf, unit, &unit, NULL, &type, &die, NULL) == 0)
		if (type == DW_UT_compile || type == DW_UT_skeleton)
			list_unit(listing, &die);
	if (listing->missing)
		complain("%s: arguments of some functions are not known: %s", listing->path,
			 listing->missing);
	free(listing->missing);
	free(listing->clone);
}

/* Debug files are looked for where a module has sleds, or what is called of it, alone. */
static void list_debug_data(struct listing *listing)
{
	static const struct build_id any;
	struct debug_folders folders;

	if (!debug_folders_init(&folders, DEBUG_DIR))
		return;
	module_files_open(&listing->files, &folders, listing->path, &any, NULL);
	if (listing->files.dwarf)
		list_units(listing);
	if (listing->files.complaint)
		complain("%s: %s", listing->path, listing->files.complaint);
	else if (listing->files.missing && listing->has_sleds)
		complain("%s: arguments of its functions are not known: it has no debug data",
			 listing->path);
	module_files_close(&listing->files);
	debug_folders_free(&folders);
}

void prototypes_list(FILE *list, struct enums *enums, const char *path, const char *globs,
		     const struct wanted_names *wanted)
{
	struct listing listing = { .list = list, .enums = enums, .path = path, .globs = globs };
	struct elf_file file;
	bool is_listed;

	/* A line of the list has a path. */
	if (strchr(path, '\n') || !elf_file_open(&file, path))
		return;
	imports_read(&listing.imports, &file, wanted);
	listing.has_sleds = hooks_have_sleds(&file, &is_listed) &&
			    !file_sleds_read(&listing.sleds, &file);
	if (listing.has_sleds || listing.imports.count > 0)
		list_debug_data(&listing);
	if (listing.has_sleds)
		file_sleds_free(&listing.sleds);
	imports_free(&listing.imports);
	elf_file_close(&file);
}
