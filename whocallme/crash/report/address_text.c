/* SPDX-License-Identifier: MIT */
/* place_text.c - what an address lies in, for people. */
#include "crash/place_text.h"

enum { ADDRESS_DIGITS = 2 * sizeof(uintptr_t) };

void wcm__place_text_add_address(struct wcm_line *line, uintptr_t address)
{
	wcm__line_dim(line);
	wcm__line_hex(line, address, ADDRESS_DIGITS);
	wcm__line_plain(line);
}

void wcm__place_text_add_range(struct wcm_line *line, uintptr_t lo, uintptr_t hi)
{
	wcm__line_dim(line);
	wcm__line_hex(line, lo, ADDRESS_DIGITS);
	wcm__line_text(line, "-");
	wcm__line_hex(line, hi, ADDRESS_DIGITS);
	wcm__line_plain(line);
}

/* "16 bytes past NULL" */
static void add_distance(struct wcm_line *line, intptr_t bytes, const char *past,
			 const char *before)
{
	wcm__line_decimal(line, bytes < 0 ? -bytes : bytes);
	wcm__line_text(line, bytes == 1 || bytes == -1 ? " byte " : " bytes ");
	wcm__line_text(line, bytes < 0 ? before : past);
}

void wcm__place_text_add_from_null(struct wcm_line *line, uintptr_t address)
{
	if (address == 0)
		wcm__line_text(line, "NULL");
	else
		add_distance(line, wcm__bytes_past_null(address), "past NULL",
			     "before NULL");
}

/* 0x...-0x... r-xp 0x1000 /usr/bin/prog, the number being the file's offset */
static void add_mapping(struct wcm_line *line, const struct wcm_mapping *mapping)
{
	wcm__place_text_add_range(line, mapping->lo, mapping->hi);
	wcm__line_text(line, " ");
	wcm__line_name(line, mapping->permissions);
	wcm__line_text(line, " ");
	wcm__line_hex(line, mapping->offset, 1);
	if (mapping->path[0]) {
		wcm__line_text(line, " ");
		wcm__line_name(line, mapping->path);
	}
}

static void add_gap(struct wcm_line *line, const struct wcm_place *place)
{
	wcm__line_text(line, "nothing is mapped here");
	if (place->below.hi) {
		wcm__line_text(line, ", ");
		add_distance(line, (intptr_t)(place->address - place->below.hi),
			     "past ", "");
		add_mapping(line, &place->below);
	}
	if (place->above.hi) {
		wcm__line_text(line, ", ");
		add_distance(line, (intptr_t)(place->above.lo - place->address),
			     "before ", "");
		add_mapping(line, &place->above);
	}
}

static void add_place(struct wcm_line *line, const struct wcm_place *place)
{
	switch (place->kind) {
	case WCM_PLACE_UNKNOWN:
		wcm__line_text(line, "what is mapped here is unknown");
		break;
	case WCM_PLACE_NEAR_NULL:
		wcm__place_text_add_from_null(line, place->address);
		break;
	case WCM_PLACE_NOT_CANONICAL:
		wcm__line_text(line, "not canonical");
		break;
	case WCM_PLACE_MAPPED:
		wcm__line_text(line, "in ");
		add_mapping(line, &place->at);
		break;
	case WCM_PLACE_GUARD:
		wcm__line_text(line, "in the guard ");
		add_mapping(line, &place->at);
		wcm__line_text(line, " below ");
		add_mapping(line, &place->above);
		break;
	case WCM_PLACE_GAP:
		add_gap(line, place);
		break;
	}
}

/* What is mapped next to a stack that overflowed is of no interest. */
static void add_used_up(struct wcm_line *line, uint64_t size)
{
	wcm__line_text(line, "the stack");
	if (size) {
		wcm__line_text(line, " of ");
		wcm__line_decimal(line, (int64_t)((size + 1023) >> 10));
		wcm__line_text(line, " KiB");
	}
	wcm__line_text(line, " is used up");
}

static const char *access_text(enum wcm_access access)
{
	switch (access) {
	case WCM_ACCESS_READ:
		return "read of ";
	case WCM_ACCESS_WRITE:
		return "write to ";
	case WCM_ACCESS_EXECUTE:
		return "execution of ";
	case WCM_ACCESS_UNKNOWN:
		break;
	}
	return "access to ";
}

void wcm__place_text_add_access(struct wcm_line *line, const struct wcm_facts *facts)
{
	wcm__line_text(line, access_text(facts->access));
	wcm__place_text_add_address(line, facts->place->address);
	wcm__line_text(line, ": ");
	if (facts->cause == WCM_CAUSE_STACK_OVERFLOW)
		add_used_up(line, facts->stack_size);
	else
		add_place(line, facts->place);
}
