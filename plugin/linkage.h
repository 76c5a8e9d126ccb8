// SPDX-License-Identifier: GPL-3.0-or-later
// linkage.h - the linkage of functions as they are written.
#ifndef WCM_LINKAGE_H
#define WCM_LINKAGE_H

// Notes it of all functions of this compilation, before gcc changes it.
void wcm_note_linkage();

// Whether FUNCTION has the linkage WORD, one of wcm_linkage_words.
bool wcm_has_linkage(const std::string &word, tree function);

#endif
