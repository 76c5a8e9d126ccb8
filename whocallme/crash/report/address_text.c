/* SPDX-License-Identifier: MIT */
/* address_text.c (SAFE) - writes for people what an address lies in. */
#include "crash/report/address_text.h"

enum { ADDRESS_DIGITS = 2 * sizeof(uintptr_t) };

void wcm__address_text_add_address(struct wcm_line *line, uintptr_t address)
{
	wcm__line_dim(line);
	wcm__line_hex(line, address, ADDRESS_DIGITS);
	wcm__line_plain(line);
}

void wcm__address_text_add_range(struct wcm_line *line, uintptr_t lo, uintptr_t hi)
{
	wcm__line_dim(line);
	wcm__line_hex(line, lo, ADDRESS_DIGITS);
	wcm__line_text(line, "-");
	wcm__line_hex(line, hi, ADDRESS_DIGITS);
	wcm__line_plain(line);
}

/* "16 bytes past NULL" */
static void add_distance(struct wcm_line *line, int64_t bytes, const char *past,
			 const char *before)
{
	wcm__line_decimal(line, bytes < 0 ? -bytes : bytes);
	wcm__line_text(line, bytes == 1 || bytes == -1 ? " byte " : " bytes ");
	wcm__line_text(line, bytes < 0 ? before : past);
}

void wcm__address_text_add_from_null(struct wcm_line *line, uintptr_t address)
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
	wcm__address_text_add_range(line, mapping->lo, mapping->hi);
	wcm__line_text(line, " ");
	wcm__line_name(line, mapping->permissions);
	wcm__line_text(line, " ");
	wcm__line_hex(line, mapping->offset, 1);
	if (mapping->path[0]) {
		wcm__line_text(line, " ");
		wcm__line_name(line, mapping->path);
	}
}

/* A neighbour, unless it is in another half of 64 bits: the kernel's. */
static void add_neighbour(struct wcm_line *line, uint64_t bytes, const char *word,
			  const struct wcm_mapping *mapping)
{
	if (!mapping->hi || bytes > INT64_MAX)
		return;
	wcm__line_text(line, ", ");
	add_distance(line, (int64_t)bytes, word, "");
	add_mapping(line, mapping);
}

static void add_gap(struct wcm_line *line, const struct wcm_location *location)
{
	wcm__line_text(line, "nothing is mapped here");
	add_neighbour(line, location->address - location->below.hi, "past ", &location->below);
	add_neighbour(line, location->above.lo - location->address, "before ", &location->above);
}

static void add_location(struct wcm_line *line, const struct wcm_location *location)
{
	switch (location->kind) {
	case WCM_LOCATION_UNKNOWN:
		wcm__line_text(line, "what is mapped here is unknown");
		break;
	case WCM_LOCATION_NEAR_NULL:
		wcm__address_text_add_from_null(line, location->address);
		break;
	case WCM_LOCATION_NOT_CANONICAL:
		wcm__line_text(line, "not canonical");
		break;
	case WCM_LOCATION_MAPPED:
		wcm__line_text(line, "in ");
		add_mapping(line, &location->at);
		break;
	case WCM_LOCATION_GUARD:
		wcm__line_text(line, "in the guard ");
		add_mapping(line, &location->at);
		wcm__line_text(line, " below ");
		add_mapping(line, &location->above);
		break;
	case WCM_LOCATION_GAP:
		add_gap(line, location);
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

void wcm__address_text_add_access(struct wcm_line *line, const struct wcm_crash_info *crash)
{
	wcm__line_text(line, access_text(crash->access));
	wcm__address_text_add_address(line, crash->location->address);
	wcm__line_text(line, ": ");
	if (crash->cause == WCM_CAUSE_STACK_OVERFLOW)
		add_used_up(line, crash->stack_size);
	else
		add_location(line, crash->location);
}
