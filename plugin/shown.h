// SPDX-License-Identifier: GPL-3.0-or-later
// shown.h - a text as a terminal may be given it.
#ifndef WCM_SHOWN_H
#define WCM_SHOWN_H

#include <string>

// TEXT, with \xNN for each byte of a character that a terminal obeys, or that is not seen.
std::string wcm_shown(const std::string &text);

#endif
