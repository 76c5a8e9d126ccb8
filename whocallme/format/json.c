/* SPDX-License-Identifier: MIT */
/* json.c (SAFE) - writes one document of JSON, of any length, in bounded memory. */
#include "format/json.h"

#include <string.h>

#include "core/os/output.h"

void wcm__json_init_for(struct wcm_json *json, enum wcm_escape how,
			void (*full)(struct wcm_words *words))
{
	wcm__words_init(&json->out, json->buffer, sizeof(json->buffer));
	json->out.full = full;
	json->names = how;
	json->comma = json->string = false;
	json->depth = json->lines = 0;
}

/* Once FD has refused, what comes later would have a hole in front of it. */
static void write_out(struct wcm_words *words)
{
	const struct wcm_json *json = (const void *)words;
	struct iovec part = { words->begin, wcm__words_length(words) };

	if (!words->is_cut && !wcm__output_write(json->fd, &part, 1))
		words->is_cut = true;
	words->at = words->begin;
}

void wcm__json_init(struct wcm_json *json, int fd)
{
	wcm__json_init_for(json, WCM_ESCAPE_JSON_NAME, write_out);
	json->fd = fd;
}

void wcm__json_value(struct wcm_json *json, const char *key)
{
	if (json->comma)
		wcm__words_byte(&json->out, ',');
	if (json->lines > 0 && json->depth == json->lines)
		wcm__words_byte(&json->out, '\n');
	json->comma = true;
	if (!key)
		return;
	wcm__words_byte(&json->out, '"');
	wcm__words_text(&json->out, key);
	wcm__words_text(&json->out, "\":");
}

void wcm__json_open(struct wcm_json *json, const char *key, char bracket)
{
	wcm__json_value(json, key);
	wcm__words_byte(&json->out, bracket);
	json->closing[json->depth++ % WCM_JSON_DEPTH] = bracket == '[' ? ']' : '}';
	json->comma = false;
}

void wcm__json_close(struct wcm_json *json, char bracket)
{
	if (json->lines > 0 && json->depth == json->lines)
		wcm__words_byte(&json->out, '\n');
	wcm__words_byte(&json->out, bracket);
	json->depth--;
	json->comma = true;
}

void wcm__json_close_to(struct wcm_json *json, unsigned depth)
{
	if (json->string)
		wcm__json_end(json);
	while (json->depth > depth)
		wcm__json_close(json, json->closing[(json->depth - 1) % WCM_JSON_DEPTH]);
}

void wcm__json_begin(struct wcm_json *json, const char *key)
{
	wcm__json_value(json, key);
	wcm__words_byte(&json->out, '"');
	json->string = true;
}

void wcm__json_add_text(struct wcm_json *json, const char *text)
{
	wcm__words_escaped(&json->out, WCM_ESCAPE_JSON, text, strlen(text));
}

void wcm__json_add_name(struct wcm_json *json, const char *name)
{
	wcm__words_escaped(&json->out, json->names, name, strlen(name));
}

void wcm__json_end(struct wcm_json *json)
{
	wcm__words_byte(&json->out, '"');
	json->string = false;
}

void wcm__json_text(struct wcm_json *json, const char *key, const char *text)
{
	wcm__json_begin(json, key);
	wcm__json_add_text(json, text);
	wcm__json_end(json);
}

void wcm__json_name(struct wcm_json *json, const char *key, const char *name)
{
	wcm__json_begin(json, key);
	wcm__json_add_name(json, name);
	wcm__json_end(json);
}

void wcm__json_number(struct wcm_json *json, const char *key, int64_t value)
{
	wcm__json_value(json, key);
	wcm__words_id(&json->out, value);
}

void wcm__json_unsigned(struct wcm_json *json, const char *key, uint64_t value)
{
	wcm__json_value(json, key);
	wcm__words_digits(&json->out, value, 10, 1);
}

void wcm__json_bool(struct wcm_json *json, const char *key, bool value)
{
	wcm__json_value(json, key);
	wcm__words_text(&json->out, value ? "true" : "false");
}

void wcm__json_null(struct wcm_json *json, const char *key)
{
	wcm__json_value(json, key);
	wcm__words_text(&json->out, "null");
}

void wcm__json_hex(struct wcm_json *json, const char *key, uint64_t value)
{
	wcm__json_begin(json, key);
	wcm__words_hex(&json->out, value);
	wcm__json_end(json);
}

void wcm__json_bytes(struct wcm_json *json, const char *key,
		     const uint8_t *bytes, size_t size)
{
	wcm__json_begin(json, key);
	wcm__words_hex_bytes(&json->out, bytes, size);
	wcm__json_end(json);
}

bool wcm__json_finish(struct wcm_json *json)
{
	wcm__words_byte(&json->out, '\n');
	json->out.full(&json->out);
	return !json->out.is_cut;
}
