/* SPDX-License-Identifier: MIT */
/* system_memory.c (SAFE) - what system calls point to: strings and data.
 *
 * All is read once, into a copy: what is said is of one moment.
 */
#include <sys/uio.h>

#include "core/os/read.h"
#include "trace/system/system_kinds.h"

void wcm__system_put_path(const struct wcm_system_value *value)
{
	if (value->is_hidden)
		wcm__system_put_address(value);
	else
		wcm__words_path(value->words, (uintptr_t)value->value);
}

void wcm__system_put_string(const struct wcm_system_value *value)
{
	if (value->is_hidden)
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
	if (value->is_hidden)
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

uint64_t wcm__system_pointers(const struct wcm_system_value *value)
{
	const unsigned count = count_pointers((uintptr_t)value->value, WCM_SYSTEM_SHOWN + 1);
	uintptr_t first;

	return count > 0 || wcm__read_memory((uintptr_t)value->value, &first, sizeof(first)) ?
		       count : 1;
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

/* The kernel has used *LEFT bytes of a struct iovec's data at most. */
void wcm__system_put_used_data(const struct wcm_system_value *value)
{
	const size_t length = ((const struct iovec *)value->whole)->iov_len;
	const uint64_t size = length < *value->left ? length : *value->left;

	wcm__words_data(value->words, (uintptr_t)value->value, size);
	*value->left -= size;
}

/* A name in a struct, up to its end or a zero byte. */
void wcm__system_put_text(const struct wcm_system_value *value)
{
	const char *text = value->bytes;
	size_t length = 0;

	while (length < value->size && text[length])
		length++;
	wcm__words_quoted(value->words, text, length, true);
}
