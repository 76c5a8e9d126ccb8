// SPDX-License-Identifier: GPL-3.0-or-later
// rules.h - the rules of -fplugin-arg-inject-rules=FILE.
#ifndef WCM_RULES_H
#define WCM_RULES_H

enum wcm_kind {
	WCM_FUNCTIONS,  // a glob of names
	WCM_FILES,      // a glob of paths
	WCM_ATTRIBUTES, // the name of one
	WCM_LINKAGE,    // a word of wcm_linkage_words
	WCM_SIZES,      // from least to most statements
};

struct wcm_rule {
	wcm_kind kind;
	bool excludes;
	std::string word;
	unsigned line;
	bool matched;
	unsigned long least, most;
};

struct wcm_rules {
	const char *path;
	std::vector<wcm_rule> all;
};

// Words for linkage, up to a NULL.
extern const char *const wcm_linkage_words[];

// Reads the file at PATH.  Returns NULL after errors, which name its lines.
wcm_rules *wcm_read_rules(const char *path);

// An error of line LINE, or of the whole file where that is 0.
void wcm_complain(const char *path, unsigned line, const std::string &what);

#endif
