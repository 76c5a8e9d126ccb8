/* SPDX-License-Identifier: MIT */
/* system_structs.c (SAFE) - structs, arrays and choices of system calls, by the tables of
 * system_calls.list.
 *
 * All is read once, into a copy: what is said is of one moment.
 */
#include "core/os/read.h"
#include "trace/system/system_kinds.h"

bool wcm__system_fetch(const struct wcm_system_value *value, void *copy, size_t size)
{
	if (value->value != 0 && !value->is_hidden &&
	    wcm__read_memory((uintptr_t)value->value, copy, size))
		return true;
	wcm__system_put_address(value);
	return false;
}

void wcm__system_put_more(const struct wcm_system_value *value)
{
	wcm__words_text(value->words, "...");
}

void wcm__system_struct(const struct wcm_system_value *value, uint8_t number, const void *bytes)
{
	static const char ends[][2][2] = { { "{", "}" }, { "[", "]" }, { "", "" } };
	const struct wcm_system_struct *all = &wcm__system_structs[number];
	const struct wcm_system_part *part = &wcm__system_parts[all->first];
	const char *before = ends[all->form][0];

	for (unsigned i = 0; i < all->count; i++, part++) {
		if (part->when && !wcm__system_expression(part->when, bytes, value))
			continue;
		wcm__words_text(value->words, before);
		if (all->form == WCM_FORM_STRUCT)
			wcm__words_text(value->words, wcm__system_names + part->name);
		wcm__system_put_part(value, part, bytes, (const char *)bytes + part->offset);
		before = ", ";
	}
	wcm__words_text(value->words, ends[all->form][1]);
}

/* An element that cannot be read ends the array; where that is the first there is an address. */
static void put_array(const struct wcm_system_value *value, const struct wcm_system_struct *array)
{
	const struct wcm_system_part *part = &wcm__system_parts[array->first];
	uint64_t element[WCM_ROOM_ARRAY / sizeof(uint64_t)]; /* aligned */
	const uint64_t count = wcm__system_expression(part->when, NULL, value);
	uintptr_t at = (uintptr_t)value->value;

	if (at == 0 || value->is_hidden ||
	    (count > 0 && !wcm__read_memory(at, element, array->size))) {
		wcm__system_put_address(value);
		return;
	}
	wcm__words_text(value->words, "[");
	for (uint64_t i = 0; i < count && !value->words->is_cut; i++, at += array->size) {
		wcm__words_text(value->words, i == 0 ? "" : ", ");
		if (i > 0 && (i == WCM_SYSTEM_SHOWN ||
			      !wcm__read_memory(at, element, array->size))) {
			wcm__words_text(value->words, "...");
			break;
		}
		wcm__system_put_part(value, part, NULL, element);
	}
	wcm__words_text(value->words, "]");
}

/* Apart from what it calls, which may be structs in it. */
__attribute__((noinline)) void wcm__system_struct_at(const struct wcm_system_value *value,
						     uint8_t number)
{
	const struct wcm_system_struct *all = &wcm__system_structs[number];
	uint64_t copy[WCM_ROOM_STRUCT / sizeof(uint64_t)];

	if (wcm__system_fetch(value, copy, all->size))
		wcm__system_struct(value, number, copy);
}

void wcm__system_put_struct(const struct wcm_system_value *value)
{
	const struct wcm_system_struct *all = &wcm__system_structs[value->number];

	if (all->form == WCM_FORM_ARRAY)
		put_array(value, all);
	else if (value->bytes)
		wcm__system_struct(value, value->number, value->bytes);
	else
		wcm__system_struct_at(value, value->number);
}

struct wcm_system_code wcm__system_chosen(const struct wcm_system_call *call, uint8_t number)
{
	const struct wcm_system_choice *choice = &wcm__system_choices[number];
	const struct wcm_system_choice_row *row = &wcm__system_choice_rows[choice->first];
	const uint32_t by = (uint32_t)call->argument[choice->argument] & choice->mask;

	for (unsigned left = choice->count; left > 1 && row->value != by; left--)
		row++;
	return row->code;
}

void wcm__system_put_choice(const struct wcm_system_value *value)
{
	struct wcm_system_value chosen = *value;

	wcm__system_put(&chosen, wcm__system_chosen(value->call, value->number),
			(long)value->value);
}

void wcm__system_put_lacking(const struct wcm_system_value *value)
{
	wcm__system_put_address(value);
}
