/* SPDX-License-Identifier: MIT */
/* type_fields.c - tells of which words a struct consists, and whether it is in registers.
 *
 * The psABI (3.2.3) looks at two words at most: each is of floating point if all in it is.  What is
 * larger, or not aligned, is in memory.  Of C++ classes the Itanium ABI (3.1) hands over the
 * address of a copy where copying takes code.
 */
#include "prototypes/type_fields.h"

#include <dwarf.h>
#include <string.h>

enum { DEEPEST = 16, NAMES_MOST = 64, EXTENDED = 16 };

static void add_type(struct type_fields *fields, Dwarf_Die *type, uint64_t at, unsigned depth);

bool type_of(Dwarf_Die *entry, Dwarf_Die *type, const char **name)
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

uint64_t type_number(Dwarf_Die *entry, unsigned name, uint64_t otherwise)
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

struct type_fields type_fields_of(Dwarf_Die *type, uint64_t size)
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
		if (++count > 1 || !type_of(&parameter, &type, NULL) ||
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

bool type_goes_by_address(Dwarf_Die *type)
{
	return goes_by_address(type, 0);
}
