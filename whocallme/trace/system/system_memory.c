/* SPDX-License-Identifier: MIT */
/* system_memory.c (SAFE) - what system calls point to: strings, data, arrays, single numbers.
 *
 * All is read once, into a copy: what is said is of one moment.
 */
#include <string.h>
#include <sys/uio.h>

#include "core/os/read.h"
#include "trace/system/system_kinds.h"

bool wcm__system_fetch(const struct wcm_system_value *value, void *copy, size_t size)
{
	if (value->value != 0 && (value->is_done || !value->is_later) &&
	    wcm__read_memory((uintptr_t)value->value, copy, size))
		return true;
	wcm__system_put_address(value);
	return false;
}

void wcm__system_member(struct wcm_words *words, const char *name, uint64_t number,
			void (*put)(struct wcm_words *words, uint64_t number))
{
	wcm__words_text(words, name);
	put(words, number);
}

/* An element that cannot be read ends the array; where that is the first there is an address. */
void wcm__system_array(const struct wcm_system_value *value, uint64_t count, size_t size,
		       void (*put)(const struct wcm_system_value *value, const void *element))
{
	uint64_t element[WCM_SYSTEM_SHOWN]; /* of any type, and aligned */
	uintptr_t at = (uintptr_t)value->value;

	if (size > sizeof(element) || at == 0 || (value->is_later && !value->is_done)) {
		wcm__system_put_address(value);
		return;
	}
	for (uint64_t i = 0; i < count && !value->words->is_cut; i++, at += size) {
		if (i < WCM_SYSTEM_SHOWN && wcm__read_memory(at, element, size)) {
			wcm__words_text(value->words, i == 0 ? "[" : ", ");
			put(value, element);
			continue;
		}
		if (i == 0) {
			wcm__system_put_address(value);
			return;
		}
		wcm__words_text(value->words, ", ...");
		break;
	}
	wcm__words_text(value->words, count == 0 ? "[]" : "]");
}

static bool is_hidden(const struct wcm_system_value *value)
{
	return value->is_later && !value->is_done;
}

void wcm__system_put_path(const struct wcm_system_value *value)
{
	if (is_hidden(value))
		wcm__system_put_address(value);
	else
		wcm__words_path(value->words, (uintptr_t)value->value);
}

void wcm__system_put_string(const struct wcm_system_value *value)
{
	if (is_hidden(value))
		wcm__system_put_address(value);
	else
		wcm__words_string(value->words, (uintptr_t)value->value);
}

/* The next argument is how many bytes there are, or how many may be put there. */
void wcm__system_put_data(const struct wcm_system_value *value)
{
	uint64_t size = wcm__system_beside(value, 1);

	if (value->is_later && (uint64_t)value->call->result < size)
		size = (uint64_t)value->call->result;
	if (is_hidden(value))
		wcm__system_put_address(value);
	else
		wcm__words_data(value->words, (uintptr_t)value->value, size);
}

/* How many pointers there are from ADDRESS on up to one that is NULL, or not within a page that
 * can be read; MOST: at least so many. */
static unsigned count_pointers(uintptr_t address, unsigned most)
{
	uintptr_t lot[16];
	unsigned count = 0;

	while (count < most) {
		const size_t room = sizeof(lot) - address % sizeof(lot);
		const size_t whole = room / sizeof(*lot) > 0 ? room / sizeof(*lot) : 1;

		if (!wcm__read_memory(address, lot, whole * sizeof(*lot)))
			break;
		for (size_t i = 0; i < whole; i++, count++)
			if (lot[i] == 0 || count == most)
				return count;
		address += whole * sizeof(*lot);
	}
	return count;
}

static void put_string_of(const struct wcm_system_value *value, const void *element)
{
	uintptr_t address;

	memcpy(&address, element, sizeof(address));
	wcm__words_string(value->words, address);
}

void wcm__system_put_argv(const struct wcm_system_value *value)
{
	const unsigned count = count_pointers((uintptr_t)value->value, WCM_SYSTEM_SHOWN + 1);
	uintptr_t first;

	if (wcm__system_fetch(value, &first, sizeof(first)))
		wcm__system_array(value, count, sizeof(uintptr_t), put_string_of);
}

/* Not what is in an environment, which may be secret, and is long. */
void wcm__system_put_envp(const struct wcm_system_value *value)
{
	enum { MOST = 1000 };
	const unsigned count = count_pointers((uintptr_t)value->value, MOST);

	wcm__system_put_address(value);
	if (value->value == 0)
		return;
	wcm__words_text(value->words, " /* ");
	wcm__words_unsigned(value->words, count);
	wcm__words_text(value->words, count == MOST ? " or more vars */" :
				      count == 1    ? " var */" :
						      " vars */");
}

/* Of the SIZE bytes at an element's address the kernel has used LEFT at most. */
static void put_iovec(struct wcm_words *words, const struct iovec *part, uint64_t left)
{
	const uint64_t size = part->iov_len < left ? part->iov_len : left;

	wcm__words_text(words, "{iov_base=");
	wcm__words_data(words, (uintptr_t)part->iov_base, size);
	wcm__words_text(words, ", iov_len=");
	wcm__words_unsigned(words, part->iov_len);
	wcm__words_text(words, "}");
}

void wcm__system_iovec(const struct wcm_system_value *value, uint64_t address, uint64_t count,
		       uint64_t left)
{
	struct wcm_words *words = value->words;
	struct iovec part;

	if (address == 0 || count == 0 ||
	    !wcm__read_memory((uintptr_t)address, &part, sizeof(part))) {
		if (count == 0 && address)
			wcm__words_text(words, "[]");
		else
			wcm__words_address(words, (uintptr_t)address);
		return;
	}
	for (uint64_t i = 0; i < count && !words->is_cut; i++, address += sizeof(part)) {
		wcm__words_text(words, i == 0 ? "[" : ", ");
		if (i == WCM_SYSTEM_SHOWN ||
		    !wcm__read_memory((uintptr_t)address, &part, sizeof(part))) {
			wcm__words_text(words, "...");
			break;
		}
		put_iovec(words, &part, left);
		left -= part.iov_len < left ? part.iov_len : left;
	}
	wcm__words_text(words, "]");
}

void wcm__system_put_iovec(const struct wcm_system_value *value)
{
	if (is_hidden(value))
		wcm__system_put_address(value);
	else
		wcm__system_iovec(value, value->value, wcm__system_beside(value, 1),
				  value->is_later ? (uint64_t)value->call->result : UINT64_MAX);
}

/* [3, 4] */
void wcm__system_put_id_pair(const struct wcm_system_value *value)
{
	int32_t pair[2];

	if (!wcm__system_fetch(value, pair, sizeof(pair)))
		return;
	wcm__words_text(value->words, "[");
	wcm__words_id(value->words, pair[0]);
	wcm__words_text(value->words, ", ");
	wcm__words_id(value->words, pair[1]);
	wcm__words_text(value->words, "]");
}

static void put_in_brackets(const struct wcm_system_value *value, int64_t number,
			    void (*put)(struct wcm_words *words, int64_t number))
{
	wcm__words_text(value->words, "[");
	put(value->words, number);
	wcm__words_text(value->words, "]");
}

void wcm__system_put_id_pointer(const struct wcm_system_value *value)
{
	int32_t id;

	if (wcm__system_fetch(value, &id, sizeof(id)))
		put_in_brackets(value, id, wcm__words_id);
}

void wcm__system_put_uid_pointer(const struct wcm_system_value *value)
{
	uint32_t uid;

	if (wcm__system_fetch(value, &uid, sizeof(uid)))
		put_in_brackets(value, uid == UINT32_MAX ? -1 : (int64_t)uid, wcm__words_id);
}

void wcm__system_put_number_pointer(const struct wcm_system_value *value)
{
	int32_t number;

	if (wcm__system_fetch(value, &number, sizeof(number)))
		put_in_brackets(value, number, wcm__words_signed);
}

void wcm__system_put_offset_pointer(const struct wcm_system_value *value)
{
	int64_t offset;

	if (wcm__system_fetch(value, &offset, sizeof(offset)))
		put_in_brackets(value, offset, wcm__words_signed);
}

static void put_id_of(const struct wcm_system_value *value, const void *element)
{
	uint32_t id;

	memcpy(&id, element, sizeof(id));
	wcm__words_id(value->words, id);
}

/* The argument before it is how many there are, or how many may be put there: 0 asks how many. */
void wcm__system_put_groups(const struct wcm_system_value *value)
{
	const uint64_t most = (uint32_t)wcm__system_beside(value, -1);

	if (value->is_later && most == 0)
		wcm__system_put_address(value);
	else
		wcm__system_array(value, value->is_later ? (uint64_t)value->call->result : most,
				  sizeof(uint32_t), put_id_of);
}
