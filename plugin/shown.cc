// SPDX-License-Identifier: GPL-3.0-or-later
// shown.cc - a text as a terminal may be given it: what the command and the library escape, too.
#include <stdio.h>

#include "format/printable.h"
#include "shown.h"

std::string wcm_shown(const std::string &text)
{
	std::string shown;

	for (size_t at = 0; at < text.size();) {
		const size_t length = wcm__printable_length(&text[at], text.size() - at);
		char escape[sizeof("\\xNN")];

		if (length) {
			shown.append(text, at, length);
		} else {
			snprintf(escape, sizeof(escape), "\\x%02x", (unsigned char)text[at]);
			shown += escape;
		}
		at += length ? length : 1;
	}
	return shown;
}
