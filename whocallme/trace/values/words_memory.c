/* SPDX-License-Identifier: MIT */
/* words_memory.c (SAFE) - shows strings, data and functions at an address, which may be any.
 *
 * Another thread may change what is read, and the address may be anything.  So bytes are
 * copied once, by core/os/read.h or where a module has its constants, and all that is said of
 * them is said of the copy.
 */
#include "trace/values/words_memory.h"

#include <fcntl.h>
#include <string.h>

#include "core/os/file.h"
#include "core/os/read.h"
#include "core/symbols/dlopen_names.h"
#include "trace/values/read_value.h"

/* How many bytes of a string, or of data, WORDS have. */
static size_t shown_by(const struct wcm_words *words)
{
	if (words->shown == 0)
		return WCM_WORDS_SHOWN;
	return words->shown < WCM_WORDS_SHOWN_MOST ? words->shown : WCM_WORDS_SHOWN_MOST;
}

void wcm__words_data(struct wcm_words *words, uintptr_t address, uint64_t size)
{
	char bytes[WCM_WORDS_SHOWN_MOST];
	const size_t most = shown_by(words);
	const bool is_all = size <= most;
	const size_t shown = is_all ? (size_t)size : most;

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
	char text[WCM_WORDS_SHOWN_MOST + 2];

	put_string(words, address, text, shown_by(words) + 2);
}

void wcm__words_path(struct wcm_words *words, uintptr_t address)
{
	char text[WCM_WORDS_SHOWN_PATH + 2];

	put_string(words, address, text, sizeof(text));
}

/* The path's own < and > are escaped, so that it ends at the first. */
static void put_link(struct wcm_words *words, const char *link)
{
	char path[WCM_WORDS_SHOWN_PATH];
	const long size = wcm__readlinkat(AT_FDCWD, link, path, sizeof(path));

	if (size <= 0)
		return;
	wcm__words_text(words, "<");
	for (long at = 0, next; at < size; at = next) {
		for (next = at; next < size && path[next] != '<' && path[next] != '>'; next++)
			;
		wcm__words_escaped(words, WCM_ESCAPE_NAME, path + at, (size_t)(next - at));
		if (next < size)
			wcm__words_text(words, path[next++] == '<' ? "\\x3c" : "\\x3e");
	}
	wcm__words_text(words, size == sizeof(path) ? "...>" : ">");
}

void wcm__words_descriptor_path(struct wcm_words *words, int fd)
{
	char link[40];

	if (!words->shows_paths || fd < 0)
		return;
	wcm__format_numbered(link, sizeof(link), "/proc/thread-self/fd/", fd, "");
	put_link(words, link);
}

void wcm__words_directory_path(struct wcm_words *words, int fd)
{
	if (fd != AT_FDCWD)
		wcm__words_descriptor_path(words, fd);
	else if (words->shows_paths)
		put_link(words, "/proc/thread-self/cwd");
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
