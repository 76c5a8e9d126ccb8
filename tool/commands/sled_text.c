/* SPDX-License-Identifier: MIT */
/* sled_text.c - what `whocallme functions --sleds` says of a function's sled. */
#include "commands/sled_text.h"

#include <inttypes.h>
#include <stdio.h>

static const struct {
	const char *word, *text;
} reasons[] = {
	[SLED_NO_NOPS] = { "no-nops", "no NOPs at its entry" },
	[SLED_IN_FRONT] = { "in-front", "all NOPs are in front of its entry, no jump fits there" },
	[SLED_SHORT] = { "short", "fewer bytes of NOPs than a call" },
	[SLED_UNKNOWN] = { "unknown", "listed, but no NOPs of a known form" },
	[SLED_COLD] = { "cold", "a part that is split off" },
	[SLED_PLT] = { "plt", "a PLT stub" },
	[SLED_IFUNC] = { "ifunc", "chooses an implementation (IFUNC)" },
	[SLED_NO_CODE] = { "no-code", "its code is not in this file" },
	[SLED_NO_PORT] = { "no-port", "sleds of this CPU are not known" },
};

/* The NOPs of SLED in hexadecimal, each in quotation marks if QUOTED. */
static void print_nops(const struct function_sled *sled, char between, bool quoted)
{
	size_t length;

	for (size_t at = 0; at < sled->size && at < SLED_BYTES; at += length) {
		length = wcm__sled_code_nop(sled->code + at, sled->size - at);
		if (length == 0)
			length = wcm__sled_code_landing(sled->code + at, sled->size - at);
		if (length == 0)
			length = wcm__sled_code_call_size(sled->code + at, sled->size - at);
		if (length == 0)
			break;
		if (at > 0)
			putchar(between);
		fputs(quoted ? "\"" : "", stdout);
		for (size_t i = 0; i < length; i++)
			printf("%02x", sled->code[at + i]);
		fputs(quoted ? "\"" : "", stdout);
	}
}

static void print_place(const struct function_sled *sled)
{
	fputs(sled->is_front ? "front" : sled->at_entry ? "entry" : "frame", stdout);
}

void sled_print(const struct function_sled *sled)
{
	if (sled->why != SLED_IS_THERE) {
		printf(": none: %s", reasons[sled->why].text);
		if (sled->why == SLED_SHORT || sled->why == SLED_IN_FRONT)
			printf(" (%zu)", sled->size);
		return;
	}
	fputs(": ", stdout);
	print_place(sled);
	printf(" %016" PRIx64 " %zu ", sled->address, sled->size);
	print_nops(sled, ' ', false);
}

void sled_json(const struct function_sled *sled)
{
	if (sled->why != SLED_IS_THERE) {
		printf(",\"no_sled\":\"%s\"", reasons[sled->why].word);
		if (sled->why == SLED_SHORT || sled->why == SLED_IN_FRONT)
			printf(",\"nops_size\":%zu", sled->size);
		return;
	}
	printf(",\"sled\":{\"address\":\"0x%" PRIx64 "\",\"size\":%zu,\"place\":", sled->address,
	       sled->size);
	putchar('"');
	print_place(sled);
	fputs(sled->is_listed ? "\",\"listed\":true" : "\",\"listed\":false", stdout);
	fputs(",\"nops\":[", stdout);
	print_nops(sled, ',', true);
	fputs("]}", stdout);
}
