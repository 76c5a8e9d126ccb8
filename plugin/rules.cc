// SPDX-License-Identifier: GPL-3.0-or-later
// rules.cc - reads the file of rules, and says of each mistake in it where it is:
//
//	exclude:			include: the same
//	  functions: [GLOB, ...]
//	  files: [GLOB, ...]
//	  attributes: [hot, inline, ...]
//	  linkage: [internal, external, weak, comdat, hidden]
//	  sizes: { min: STATEMENTS, max: STATEMENTS }
#include "plugin.h"

#include <yaml.h>

#include "pattern.h"
#include "rules.h"
#include "shown.h"

const char *const wcm_linkage_words[] = { "internal", "static", "external", "weak",
					  "comdat",   "hidden", NULL };

// Rules need three levels, and have fewer bytes and anchors.
enum { DEEPEST = 64, MOST_BYTES = 16 << 20, MOST_ANCHORS = 100 };

namespace
{
struct kind_key {
	const char *key;
	wcm_kind kind;
};

const kind_key kind_keys[] = {
	{ "functions", WCM_FUNCTIONS }, { "files", WCM_FILES }, { "attributes", WCM_ATTRIBUTES },
	{ "linkage", WCM_LINKAGE },     { "sizes", WCM_SIZES },
};

class reader
{
public:
	explicit reader(wcm_rules *into) : rules(into), good(true) {}
	bool read(FILE *file);

private:
	bool start(yaml_parser_t *parser, const std::string &text);
	void check_bounds(const std::string &text);
	void read_documents(const std::string &text);
	bool has_texts();
	void read_document(bool is_first);
	void complain_of(const yaml_parser_t &parser);
	void read_sections(yaml_node_t *node);
	void read_include(yaml_node_t *key, yaml_node_t *value);
	void read_section(yaml_node_t *node, bool excludes);
	void read_list(yaml_node_t *node, wcm_kind kind, bool excludes);
	void read_item(yaml_node_t *node, wcm_kind kind, bool excludes);
	void read_sizes(yaml_node_t *node, bool excludes);
	void read_limit(yaml_node_t *key, yaml_node_t *value, wcm_rule *rule);
	const char *key_of(yaml_node_t *node);
	void check_keys(yaml_node_t *mapping);
	void wrong(const yaml_node_t *node, const std::string &what);
	yaml_node_t *node_of(int number) { return yaml_document_get_node(&document, number); }

	wcm_rules *rules;
	bool good;
	yaml_document_t document;
};
}

void wcm_complain(const char *path, unsigned line, const std::string &what)
{
	if (line)
		error("%s:%u: %s", wcm_shown(path).c_str(), line, wcm_shown(what).c_str());
	else
		error("%s: %s", wcm_shown(path).c_str(), wcm_shown(what).c_str());
}

void reader::wrong(const yaml_node_t *node, const std::string &what)
{
	wcm_complain(rules->path, node->start_mark.line + 1, what);
	good = false;
}

static const char *text_of(const yaml_node_t *node)
{
	return node->type == YAML_SCALAR_NODE
		       ? reinterpret_cast<const char *>(node->data.scalar.value)
		       : NULL;
}

// A key without a value, or with one that is YAML's word for it.
static bool is_nothing(const yaml_node_t *node)
{
	if (node->type != YAML_SCALAR_NODE || node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
		return false;
	for (const char *word : { "", "~", "null", "Null", "NULL" })
		if (!strcmp(text_of(node), word))
			return true;
	return false;
}

const char *reader::key_of(yaml_node_t *node)
{
	const char *key = text_of(node);

	if (!key)
		wrong(node, "a key must be a word");
	return key;
}

void reader::check_keys(yaml_node_t *mapping)
{
	std::map<std::string, yaml_node_t *> met;

	for (yaml_node_pair_t *pair = mapping->data.mapping.pairs.start;
	     pair < mapping->data.mapping.pairs.top; pair++) {
		const char *key = text_of(node_of(pair->key));
		yaml_node_t *&first = met[key ? key : ""];

		if (key && first)
			wrong(node_of(pair->key),
			      std::string("the key '") + key + "' is in line " +
				      std::to_string(first->start_mark.line + 1) + " already");
		else
			first = node_of(pair->key);
	}
}

void reader::read_limit(yaml_node_t *key, yaml_node_t *value, wcm_rule *rule)
{
	const char *name = key_of(key), *digits = text_of(value);
	bool is_min = name && !strcmp(name, "min"), is_max = name && !strcmp(name, "max");

	if (!name)
		return;
	if (!is_min && !is_max) {
		wrong(key, std::string("unknown key '") + name + "'; sizes has: min, max");
	} else if (!digits || !*digits || strlen(digits) > 9 ||
		   strspn(digits, "0123456789") != strlen(digits)) {
		wrong(value, std::string(name) + " must be a number of statements");
	} else {
		*(is_min ? &rule->least : &rule->most) = strtoul(digits, NULL, 10);
	}
}

void reader::read_sizes(yaml_node_t *node, bool excludes)
{
	wcm_rule rule = { WCM_SIZES, excludes, "", unsigned(node->start_mark.line + 1),
			  false,     0,        ULONG_MAX };

	if (node->type != YAML_MAPPING_NODE) {
		wrong(node, "sizes must have the keys min or max");
		return;
	}
	if (node->data.mapping.pairs.start == node->data.mapping.pairs.top)
		wrong(node, "sizes must have the keys min or max");
	check_keys(node);
	for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
	     pair < node->data.mapping.pairs.top; pair++)
		read_limit(node_of(pair->key), node_of(pair->value), &rule);
	if (rule.least > rule.most)
		wrong(node, "min is more than max");
	rules->all.push_back(rule);
}

static std::string words_of_linkage()
{
	std::string words;

	for (const char *const *word = wcm_linkage_words; *word; word++)
		words += (word == wcm_linkage_words ? "" : ", ") + std::string(*word);
	return words;
}

static bool is_linkage(const char *word)
{
	const char *const *known = wcm_linkage_words;

	while (*known && strcmp(*known, word))
		known++;
	return *known;
}

void reader::read_item(yaml_node_t *node, wcm_kind kind, bool excludes)
{
	const char *word = text_of(node);

	if (!word) {
		wrong(node, "this must be a word");
		return;
	}
	const char *fault = kind == WCM_FUNCTIONS || kind == WCM_FILES ? wcm_fault_of_pattern(word)
			    : *word					? NULL
									: "is empty";
	if (*word && is_nothing(node))
		fault = "means nothing, unless it is in quotes";
	if (fault)
		wrong(node, std::string("the pattern '") + word + "' " + fault);
	if (kind == WCM_LINKAGE && !is_linkage(word))
		wrong(node, std::string("unknown linkage '") + word +
				    "'; there are: " + words_of_linkage());
	rules->all.push_back(
		{ kind, excludes, word, unsigned(node->start_mark.line + 1), false, 0, 0 });
}

void reader::read_list(yaml_node_t *node, wcm_kind kind, bool excludes)
{
	if (is_nothing(node))
		return;
	if (node->type == YAML_MAPPING_NODE) {
		wrong(node, "this must be a list of words");
	} else if (node->type == YAML_SCALAR_NODE) {
		read_item(node, kind, excludes);
	} else {
		for (yaml_node_item_t *item = node->data.sequence.items.start;
		     item < node->data.sequence.items.top; item++)
			read_item(node_of(*item), kind, excludes);
	}
}

void reader::read_section(yaml_node_t *node, bool excludes)
{
	if (is_nothing(node))
		return;
	if (node->type != YAML_MAPPING_NODE) {
		wrong(node, "this must have keys: functions, files, attributes, linkage, sizes");
		return;
	}
	check_keys(node);
	for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
	     pair < node->data.mapping.pairs.top; pair++) {
		const char *key = key_of(node_of(pair->key));
		const kind_key *known = kind_keys, *end = kind_keys + ARRAY_SIZE(kind_keys);

		while (key && known < end && strcmp(known->key, key))
			known++;
		if (known == end)
			wrong(node_of(pair->key),
			      std::string("unknown key '") + key +
				      "'; there are: functions, files, attributes, linkage, sizes");
		else if (key && known->kind == WCM_SIZES)
			read_sizes(node_of(pair->value), excludes);
		else if (key)
			read_list(node_of(pair->value), known->kind, excludes);
	}
}

void reader::read_include(yaml_node_t *key, yaml_node_t *value)
{
	size_t before = rules->all.size();

	read_section(value, false);
	if (good && rules->all.size() == before)
		wrong(key, "include has no rules: no function would be chosen");
}

void reader::read_sections(yaml_node_t *node)
{
	if (is_nothing(node))
		return;
	if (node->type != YAML_MAPPING_NODE) {
		wrong(node, "rules must have the keys exclude or include");
		return;
	}
	check_keys(node);
	for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
	     pair < node->data.mapping.pairs.top; pair++) {
		const char *key = key_of(node_of(pair->key));

		if (key && !strcmp(key, "exclude"))
			read_section(node_of(pair->value), true);
		else if (key && !strcmp(key, "include"))
			read_include(node_of(pair->key), node_of(pair->value));
		else if (key)
			wrong(node_of(pair->key), std::string("unknown key '") + key +
							  "'; there are: exclude, include");
	}
}

// Nothing that is compared with words has a NUL.
bool reader::has_texts()
{
	bool has = true;

	for (yaml_node_t *node = document.nodes.start; node < document.nodes.top; node++)
		if (text_of(node) && strlen(text_of(node)) != node->data.scalar.length) {
			wrong(node, "this has a NUL");
			has = false;
		}
	return has;
}

void reader::read_document(bool is_first)
{
	yaml_node_t *root = yaml_document_get_root_node(&document);

	if (root && !is_first)
		wrong(root, "a file of rules has one document");
	else if (root && has_texts())
		read_sections(root);
}

void reader::complain_of(const yaml_parser_t &parser)
{
	unsigned line = parser.problem_mark.line ? parser.problem_mark.line
						 : parser.context_mark.line;

	// The bytes are no characters.
	wcm_complain(rules->path, parser.error == YAML_READER_ERROR ? 0 : line + 1,
		     parser.problem ? parser.problem : "this is no YAML");
	good = false;
}

bool reader::start(yaml_parser_t *parser, const std::string &text)
{
	if (!yaml_parser_initialize(parser)) {
		wcm_complain(rules->path, 0, "out of memory");
		return good = false;
	}
	yaml_parser_set_input_string(
		parser, reinterpret_cast<const unsigned char *>(text.data()), text.size());
	return true;
}

static bool has_anchor(const yaml_event_t &event)
{
	switch (event.type) {
	case YAML_SCALAR_EVENT:
		return event.data.scalar.anchor;
	case YAML_SEQUENCE_START_EVENT:
		return event.data.sequence_start.anchor;
	case YAML_MAPPING_START_EVENT:
		return event.data.mapping_start.anchor;
	default:
		return false;
	}
}

// libyaml takes a time that grows with the square of the depth, and compares each anchor and each
// alias with all anchors.  Other mistakes are left to who reads it next.
void reader::check_bounds(const std::string &text)
{
	yaml_parser_t parser;
	yaml_event_t event;
	int depth = 0, anchors = 0;

	if (!start(&parser, text))
		return;
	for (bool ended = false; !ended && yaml_parser_parse(&parser, &event);) {
		const char *fault = NULL;

		depth += event.type == YAML_SEQUENCE_START_EVENT ||
			 event.type == YAML_MAPPING_START_EVENT;
		depth -= event.type == YAML_SEQUENCE_END_EVENT ||
			 event.type == YAML_MAPPING_END_EVENT;
		anchors += has_anchor(event);
		if (depth > DEEPEST)
			fault = "this is nested too deeply";
		else if (anchors > MOST_ANCHORS)
			fault = "this has more than 100 anchors, which no rules need";
		ended = event.type == YAML_STREAM_END_EVENT || fault;
		if (fault) {
			wcm_complain(rules->path, event.start_mark.line + 1, fault);
			good = false;
		}
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
}

void reader::read_documents(const std::string &text)
{
	yaml_parser_t parser;

	if (!start(&parser, text))
		return;
	for (bool is_first = true, ended = false; !ended; is_first = false) {
		if (!yaml_parser_load(&parser, &document)) {
			complain_of(parser);
			break;
		}
		ended = !yaml_document_get_root_node(&document);
		read_document(is_first);
		yaml_document_delete(&document);
	}
	yaml_parser_delete(&parser);
}

bool reader::read(FILE *file)
{
	char buffer[BUFSIZ];
	std::string text;
	size_t size;

	while (text.size() <= MOST_BYTES && (size = fread(buffer, 1, sizeof(buffer), file)) > 0)
		text.append(buffer, size);
	if (ferror(file)) {
		wcm_complain(rules->path, 0, xstrerror(errno));
		return false;
	}
	if (text.size() > MOST_BYTES) {
		wcm_complain(rules->path, 0, "it has more than 16 MB, which no rules have");
		return false;
	}
	check_bounds(text);
	if (good)
		read_documents(text);
	return good;
}

wcm_rules *wcm_read_rules(const char *path)
{
	FILE *file = fopen(path, "r");
	struct stat status;
	wcm_rules *rules;

	if (!file || (!fstat(fileno(file), &status) && S_ISDIR(status.st_mode))) {
		wcm_complain(path, 0, xstrerror(file ? EISDIR : errno));
		if (file)
			fclose(file);
		return NULL;
	}
	rules = new wcm_rules();
	rules->path = path;
	if (!reader(rules).read(file)) {
		delete rules;
		rules = NULL;
	}
	fclose(file);
	return rules;
}
