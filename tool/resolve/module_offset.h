/* SPDX-License-Identifier: MIT */
/* module_offset.h - an address in a file, as people and programs write it:
 * PATH+0xADDRESS, BUILDID+0xADDRESS or BUILDID:PATH+0xADDRESS; a program that asks for its own
 * lines has =TAG:PATH+0xADDRESS, too. */
#ifndef WCM_TOOL_MODULE_OFFSET_H
#define WCM_TOOL_MODULE_OFFSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/lines_protocol.h"

struct address {
	const char *path; /* or NULL */
	uint8_t build_id[WCM_MOST_BUILD_ID];
	size_t build_id_size; /* 0: not known */
	bool has_tag;
	uint64_t tag; /* of the file that is mapped; 0: it is not there any more */
	uint64_t address;     /* in the file's own numbering */
	uint64_t function;    /* where its function begins, likewise; 0: not known */
};

/* Read TEXT, which becomes the memory of ADDRESS's path; escapes in it (\xNN) are
 * undone.  False, TEXT unchanged, where it is no address. */
bool address_parse(struct address *address, char *text);

/* The number after 0x at TEXT, of 1 to 16 digits, *END being what follows.  False
 * where there is none. */
bool address_number(const char *text, uint64_t *number, const char **end);

/* Read the hexadecimal digits of TEXT as a build-id, of LENGTH digits. */
bool address_build_id(struct address *address, const char *text, size_t length);

#endif
