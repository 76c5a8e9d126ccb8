/* SPDX-License-Identifier: MIT */
/* sled_code.c (SAFE) - tells by its code which NOPs of a function a call can take the place of, or
 * which call.
 *
 * Without -mnop-mcount a function that -pg is for calls the profiler where NOPs would be.
 * Such a call is told by what it leads to, at once or by a linkage stub.
 */
#include "format/sled_code.h"

#include <string.h>

bool wcm__sled_code_has_port(void)
{
	return wcm__arch_sled_entry_address() != 0;
}

bool wcm__sled_code_tells_values(void)
{
	return WCM_PASSED_IS_KNOWN;
}

size_t wcm__sled_code_nop(const uint8_t *code, size_t size)
{
	return wcm__arch_nop_size(code, size);
}

size_t wcm__sled_code_landing(const uint8_t *code, size_t size)
{
	return wcm__arch_landing_size(code, size);
}

static size_t all_nops(const uint8_t *code, size_t size)
{
	size_t at = 0, length;

	while (at < size && (length = wcm__arch_nop_size(code + at, size - at)) > 0)
		at += length;
	return at;
}

bool wcm__sled_code_is_nops(const uint8_t *code, size_t size)
{
	return all_nops(code, size) == size;
}

enum wcm_sled_state wcm__sled_code_listed(const uint8_t *code, size_t size,
					  struct wcm_sled_code *sled)
{
	*sled = (struct wcm_sled_code){ .size = wcm__arch_sled_size(code, size),
					.at_entry = true };
	if (sled->size > 0)
		return WCM_SLED_FOUND;
	sled->size = all_nops(code, size);
	return sled->size > 0 ? WCM_SLED_SHORT : WCM_SLED_NO_NOPS;
}

enum wcm_sled_state wcm__sled_code_named(const uint8_t *code, size_t size, bool is_listed,
					 struct wcm_sled_code *sled)
{
	size_t at;

	if (wcm__arch_sled_find(code, size, &sled->at, &sled->at_entry) &&
	    (sled->at_entry || !is_listed)) {
		sled->size = wcm__arch_sled_size(code + sled->at, size - sled->at);
		return WCM_SLED_FOUND;
	}
	at = wcm__arch_landing_size(code, size);
	*sled = (struct wcm_sled_code){ .at = at, .at_entry = true,
					.size = all_nops(code + at, size - at) };
	return sled->size > 0 ? WCM_SLED_SHORT : WCM_SLED_NO_NOPS;
}

enum wcm_sled_state wcm__sled_code_front(const uint8_t *code, size_t front, size_t size,
					 struct wcm_sled_front *sled)
{
	return wcm__arch_sled_front(code, front, size, sled) ? WCM_SLED_FOUND : WCM_SLED_SHORT;
}

const char *const wcm__sled_profiler_names[] = { "mcount", "_mcount", "__fentry__" };

bool wcm__sled_code_profiles(const char *name, size_t size)
{
	for (size_t i = 0; i < WCM_SLED_PROFILER_NAMES; i++) {
		const char *wanted = wcm__sled_profiler_names[i];
		const size_t length = strlen(wanted) + 1;

		if (length <= size && memcmp(name, wanted, length) == 0)
			return true;
	}
	return false;
}

void wcm__sled_code_add_profiler(struct wcm_sled_profilers *profilers, uint64_t address)
{
	if (profilers->count < WCM_SLED_PROFILERS)
		profilers->at[profilers->count++] = address;
}

static bool is_profiler(const struct wcm_sled_profilers *profilers, uint64_t address)
{
	for (size_t i = 0; i < profilers->count; i++)
		if (profilers->at[i] == address)
			return true;
	return false;
}

static bool leads_to_profiler(const struct wcm_sled_profilers *profilers, uint64_t stub,
			      wcm_sled_reader *read, const void *of)
{
	enum { LONGEST = 24 };
	uint8_t code[LONGEST];
	intptr_t slot;

	return wcm__arch_stub_slot(code, read(of, stub, code, sizeof(code)), &slot) &&
	       is_profiler(profilers, stub + (uint64_t)slot);
}

enum wcm_sled_state wcm__sled_code_call(const uint8_t *code, size_t size, uint64_t address,
					const struct wcm_sled_profilers *profilers,
					wcm_sled_reader *read, const void *of,
					struct wcm_sled_code *sled)
{
	size_t at, length = profilers->count > 0 ? wcm__arch_first_call(code, size, &at) : 0;
	intptr_t to;
	bool is_slot;

	if (length == 0)
		return WCM_SLED_NO_NOPS;
	wcm__arch_call_size(code + at, length, &to, &is_slot);
	address += at + (uint64_t)to;
	if (!is_profiler(profilers, address) &&
	    (is_slot || !leads_to_profiler(profilers, address, read, of)))
		return WCM_SLED_NO_NOPS;
	*sled = (struct wcm_sled_code){ .at = at, .size = length,
					.at_entry = at == wcm__arch_landing_size(code, size) };
	return WCM_SLED_FOUND;
}

size_t wcm__sled_code_call_size(const uint8_t *code, size_t size)
{
	intptr_t to;
	bool is_slot;

	return wcm__arch_call_size(code, size, &to, &is_slot);
}
