/* SPDX-License-Identifier: MIT */
/* graph_read.c - reads a graph of calls in Graphviz' language.
 *
 * What matters are nodes, edges and these attributes: of an edge, label, which begins
 * with the number of calls; of both, calls, self and total, the times in nanoseconds;
 * of a node, module and file; label of the whole.  All else is passed over.
 */
#include "graph/graph.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"

enum token { TOKEN_END, TOKEN_WORD, TOKEN_ARROW, TOKEN_SIGN, TOKEN_BAD };

struct parser {
	struct graph *graph;
	const char *at;
	unsigned line;
	enum token token;
	char sign;   /* of TOKEN_SIGN */
	char *word;  /* of TOKEN_WORD, without its quotes */
	size_t room;
	bool quoted;
};

/* Attributes that were in brackets; numbers are -1 where they were not. */
struct attributes {
	long long calls, self, total, labelled;
	char *module, *file, *label;
	bool waits;
};

static void skip_line(struct parser *parser)
{
	parser->at += strcspn(parser->at, "\n");
}

/* Space and comments. */
static void skip_space(struct parser *parser)
{
	for (;;) {
		const char *at = parser->at;

		if (isspace((unsigned char)*at)) {
			parser->line += *at == '\n';
			parser->at++;
		} else if (at[0] == '/' && at[1] == '/') {
			skip_line(parser);
		} else if (at[0] == '#') {
			skip_line(parser);
		} else if (at[0] == '/' && at[1] == '*') {
			const char *end = strstr(at + 2, "*/");

			for (; *parser->at && (!end || parser->at < end + 2);
			     parser->at++)
				parser->line += *parser->at == '\n';
		} else {
			return;
		}
	}
}

static bool append(struct parser *parser, size_t length, char c)
{
	if (length + 1 >= parser->room) {
		size_t room = parser->room ? 2 * parser->room : 128;
		char *more = realloc(parser->word, room);

		if (!more) {
			parser->graph->failed = true;
			return false;
		}
		parser->word = more;
		parser->room = room;
	}
	parser->word[length] = c;
	parser->word[length + 1] = '\0';
	return true;
}

/* A backslash keeps its meaning, but for quotes and itself. */
static enum token read_quoted(struct parser *parser)
{
	size_t length = 0;

	if (!append(parser, 0, '\0'))
		return TOKEN_BAD;
	for (parser->at++; *parser->at != '"'; parser->at++) {
		if (!*parser->at)
			return TOKEN_BAD;
		parser->line += *parser->at == '\n';
		if (*parser->at == '\\' &&
		    (parser->at[1] == '"' || parser->at[1] == '\\'))
			parser->at++;
		if (!append(parser, length++, *parser->at))
			return TOKEN_BAD;
	}
	parser->at++;
	parser->quoted = true;
	return TOKEN_WORD;
}

static bool is_word_character(const char *at)
{
	unsigned char c = (unsigned char)*at;

	return isalnum(c) || c == '_' || c == '.' || c >= 0x80 ||
	       (c == '-' && at[1] != '>' && at[1] != '-');
}

static enum token read_token(struct parser *parser)
{
	size_t length = 0;

	skip_space(parser);
	parser->quoted = false;
	if (!*parser->at)
		return TOKEN_END;
	if (*parser->at == '"')
		return read_quoted(parser);
	if (parser->at[0] == '-' && (parser->at[1] == '>' || parser->at[1] == '-')) {
		parser->at += 2;
		return TOKEN_ARROW;
	}
	for (; is_word_character(parser->at); parser->at++)
		if (!append(parser, length++, *parser->at))
			return TOKEN_BAD;
	if (length)
		return TOKEN_WORD;
	parser->sign = *parser->at++;
	return strchr("{}[];,=:+", parser->sign) ? TOKEN_SIGN : TOKEN_BAD;
}

static void next(struct parser *parser)
{
	parser->token = read_token(parser);
}

static bool is_sign(const struct parser *parser, char sign)
{
	return parser->token == TOKEN_SIGN && parser->sign == sign;
}

static bool is_word(const struct parser *parser, const char *word)
{
	return parser->token == TOKEN_WORD && !parser->quoted &&
	       strcasecmp(parser->word, word) == 0;
}

static void keep(char **kept, const char *value)
{
	free(*kept);
	*kept = strdup(value);
}

static void set_attribute(struct attributes *attributes, const char *name,
			  const char *value)
{
	if (strcmp(name, "calls") == 0)
		attributes->calls = strtoll(value, NULL, 10);
	else if (strcmp(name, "self") == 0)
		attributes->self = strtoll(value, NULL, 10);
	else if (strcmp(name, "total") == 0)
		attributes->total = strtoll(value, NULL, 10);
	else if (strcmp(name, "waits") == 0)
		attributes->waits = true;
	else if (strcmp(name, "module") == 0)
		keep(&attributes->module, value);
	else if (strcmp(name, "file") == 0)
		keep(&attributes->file, value);
	else if (strcmp(name, "label") == 0) {
		keep(&attributes->label, value);
		if (isdigit((unsigned char)*value))
			attributes->labelled = strtoll(value, NULL, 10);
	}
}

/* "= VALUE" after NAME, which is freed. */
static bool read_value(struct parser *parser, char *name,
		       struct attributes *attributes)
{
	next(parser);
	if (name && parser->token == TOKEN_WORD) {
		set_attribute(attributes, name, parser->word);
		free(name);
		next(parser);
		return true;
	}
	free(name);
	return false;
}

/* "[name=value, ...]", any number of times. */
static bool read_attributes(struct parser *parser, struct attributes *attributes)
{
	while (is_sign(parser, '[')) {
		next(parser);
		while (parser->token == TOKEN_WORD) {
			char *name = strdup(parser->word);

			next(parser);
			if (!is_sign(parser, '='))
				free(name);
			else if (!read_value(parser, name, attributes))
				return false;
			if (is_sign(parser, ',') || is_sign(parser, ';'))
				next(parser);
		}
		if (!is_sign(parser, ']'))
			return false;
		next(parser);
	}
	return true;
}

static uint64_t number(long long value)
{
	return value > 0 ? (uint64_t)value : 0;
}

static void set_node(struct graph *graph, size_t index,
		     struct attributes *attributes)
{
	struct graph_node *node = &graph->nodes[index];

	node->calls += number(attributes->calls);
	node->self += number(attributes->self);
	node->total += number(attributes->total);
	node->waits |= attributes->waits;
	if (attributes->module)
		keep(&node->module, attributes->module);
	if (attributes->file)
		keep(&node->file, attributes->file);
}

static void set_edge(struct graph *graph, size_t from, size_t to,
		     const struct attributes *attributes)
{
	struct graph_edge *edge = graph_edge(graph, from, to);

	if (!edge)
		return;
	edge->calls += attributes->calls >= 0 ? number(attributes->calls) :
		       attributes->labelled >= 0 ? number(attributes->labelled) : 1;
	edge->total += number(attributes->total);
}

static void free_attributes(struct attributes *attributes)
{
	free(attributes->module);
	free(attributes->file);
	free(attributes->label);
}

/* The node's name is read already.  Of a chain of edges each has the attributes. */
static bool read_chain(struct parser *parser, const char *name)
{
	enum { LONGEST = 64 };
	struct attributes attributes = { -1, -1, -1, -1, NULL, NULL, NULL, false };
	size_t chain[LONGEST], length = 0;
	bool understood;

	chain[length++] = graph_node(parser->graph, name);
	while (parser->token == TOKEN_ARROW && length < LONGEST) {
		next(parser);
		if (parser->token != TOKEN_WORD)
			return false;
		chain[length++] = graph_node(parser->graph, parser->word);
		next(parser);
	}
	understood = parser->token != TOKEN_ARROW &&
		     read_attributes(parser, &attributes);
	if (understood && !parser->graph->failed && length == 1)
		set_node(parser->graph, chain[0], &attributes);
	for (size_t i = 1; understood && !parser->graph->failed && i < length; i++)
		set_edge(parser->graph, chain[i - 1], chain[i], &attributes);
	free_attributes(&attributes);
	return understood;
}

/* "name = value", or "graph [...]", "node [...]", "edge [...]". */
static bool read_setting(struct parser *parser, char *name, unsigned depth)
{
	struct attributes attributes = { -1, -1, -1, -1, NULL, NULL, NULL, false };
	bool understood;

	understood = name ? read_value(parser, name, &attributes) :
			    read_attributes(parser, &attributes);
	if (understood && name && depth == 1 && attributes.label)
		keep(&parser->graph->label, attributes.label);
	free_attributes(&attributes);
	return understood;
}

static bool read_statement(struct parser *parser, unsigned *depth)
{
	char *name;
	bool understood;

	if (is_sign(parser, '{') || is_sign(parser, '}')) {
		*depth += parser->sign == '{' ? 1u : -1u;
		next(parser);
		return true;
	}
	if (is_sign(parser, ';') || is_word(parser, "subgraph")) {
		bool named = parser->token == TOKEN_WORD;

		next(parser);
		if (named && parser->token == TOKEN_WORD)
			next(parser);
		return true;
	}
	if (is_word(parser, "graph") || is_word(parser, "node") ||
	    is_word(parser, "edge")) {
		next(parser);
		return read_setting(parser, NULL, *depth);
	}
	if (parser->token != TOKEN_WORD)
		return false;
	name = strdup(parser->word);
	next(parser);
	if (is_sign(parser, '='))
		return read_setting(parser, name, *depth);
	understood = name && read_chain(parser, name);
	free(name);
	return understood;
}

/* "strict digraph NAME {" */
static bool read_head(struct parser *parser)
{
	next(parser);
	if (is_word(parser, "strict"))
		next(parser);
	if (!is_word(parser, "digraph"))
		return false;
	next(parser);
	if (parser->token == TOKEN_WORD)
		next(parser);
	return is_sign(parser, '{');
}

bool graph_read(struct graph *graph, const char *file, const char *text)
{
	struct parser parser = { .graph = graph, .at = text, .line = 1 };
	unsigned depth = 0;
	bool understood = read_head(&parser);

	while (understood && !graph->failed) {
		understood = read_statement(&parser, &depth);
		if (understood && depth == 0)
			break;
		if (parser.token == TOKEN_END)
			understood = false;
	}
	free(parser.word);
	if (graph->failed)
		complain("%s: out of memory", file);
	else if (!understood)
		complain("%s:%u: not understood; a recording, or a graph as \"whocallme "
			 "trace --graph\" writes it, is", file, parser.line);
	return understood && !graph->failed;
}
