// SPDX-License-Identifier: GPL-3.0-or-later
// pattern.h - what is wrong with a pattern of fnmatch().
#ifndef WCM_PATTERN_H
#define WCM_PATTERN_H

// What to say behind the pattern GLOB, or NULL where it is good.
const char *wcm_fault_of_pattern(const char *glob);

#endif
