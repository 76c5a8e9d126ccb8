/* SPDX-License-Identifier: MIT */
/* sled_code.c - tells by its code which NOPs of a function a call can take the place of. */
#include "format/sled_code.h"

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
