/* SPDX-License-Identifier: MIT */
/* words_memory.c (SAFE) - shows strings, data and functions at an address, which may be any.
 *
 * Another thread may change what is read, and the address may be anything.  So bytes are
 * copied once, by core/os/read.h or where a module has its constants, and all that is said of
 * them is said of the copy.
 */
#include "trace/values/words_memory.h"

#include <string.h>

#include "core/os/read.h"
#include "core/symbols/dlopen_names.h"
#include "trace/values/read_value.h"

void wcm__words_data(struct wcm_words *words, uintptr_t address, uint64_t size)
{
	char bytes[WCM_WORDS_SHOWN];
	const bool is_all = size <= sizeof(bytes);
	const size_t shown = is_all ? (size_t)size : sizeof(bytes);

	if (address == 0 || words->hides_data || !wcm__read_memory(address, bytes, shown))
		wcm__words_address(words, address);
	else
		wcm__words_bytes(words, bytes, shown, is_all);
}

/* The string at ADDRESS, in TEXT of ROOM bytes: one more than are shown, and the zero byte. */
static void put_string(struct wcm_words *words, uintptr_t address, char *text, size_t room)
{
	size_t length;
	bool is_whole;

	if (address == 0 || words->hides_data) {
		wcm__words_address(words, address);
		return;
	}
	is_whole = wcm__read_string_by(wcm__read_value, address, text, room, &length);
	if (!is_whole && length < room - 1) {
		wcm__words_address(words, address);
		return;
	}
	is_whole = is_whole && length <= room - 2;
	wcm__words_quoted(words, text, is_whole ? length : room - 2, is_whole);
}

void wcm__words_string(struct wcm_words *words, uintptr_t address)
{
	char text[WCM_WORDS_SHOWN + 2];

	put_string(words, address, text, sizeof(text));
}

void wcm__words_path(struct wcm_words *words, uintptr_t address)
{
	char text[WCM_WORDS_SHOWN_PATH + 2];

	put_string(words, address, text, sizeof(text));
}

void wcm__words_function(struct wcm_words *words, uintptr_t address)
{
	struct wcm_symbol symbol;

	if (address != 0) {
		wcm__dlopen_names_peek(address, &symbol);
		if (symbol.name && symbol.offset == 0) {
			wcm__words_text(words, "&");
			wcm__words_name(words, symbol.name);
			return;
		}
	}
	wcm__words_address(words, address);
}
