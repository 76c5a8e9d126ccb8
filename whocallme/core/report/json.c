/* SPDX-License-Identifier: MIT */
/* json.c (SAFE) - writes one line of JSON, of any length, in bounded memory. */
#include "core/report/json.h"

#include <string.h>

#include "core/os/output.h"
#include "format/digits.h"

void wcm__json_init(struct wcm_json *json, int fd)
{
	json->fd = fd;
	json->failed = false;
	json->comma = json->string = false;
	json->depth = 0;
	json->used = 0;
}

/* Once FD has refused, what comes later would have a hole in front of it. */
static void flush(struct wcm_json *json)
{
	struct iovec part = { json->buffer, json->used };

	if (!json->failed && !wcm__output_write(json->fd, &part, 1))
		json->failed = true;
	json->used = 0;
}

static void put(struct wcm_json *json, const char *bytes, size_t size)
{
	while (size > 0) {
		size_t room = sizeof(json->buffer) - json->used;
		size_t part = size < room ? size : room;

		memcpy(json->buffer + json->used, bytes, part);
		json->used += part;
		bytes += part;
		size -= part;
		if (json->used == sizeof(json->buffer))
			flush(json);
	}
}

/* Put text that JSON may need escapes for, but holds no control characters. */
static void put_string(struct wcm_json *json, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (text[i] == '"' || text[i] == '\\')
			put(json, "\\", 1);
		put(json, &text[i], 1);
	}
}

static void start_value(struct wcm_json *json, const char *key)
{
	if (json->comma)
		put(json, ",", 1);
	json->comma = true;
	if (!key)
		return;
	put(json, "\"", 1);
	put(json, key, strlen(key));
	put(json, "\":", 2);
}

void wcm__json_open(struct wcm_json *json, const char *key, char bracket)
{
	start_value(json, key);
	put(json, &bracket, 1);
	json->closing[json->depth++ % WCM_JSON_DEPTH] = bracket == '[' ? ']' : '}';
	json->comma = false;
}

void wcm__json_close(struct wcm_json *json, char bracket)
{
	put(json, &bracket, 1);
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
	start_value(json, key);
	put(json, "\"", 1);
	json->string = true;
}

void wcm__json_add_text(struct wcm_json *json, const char *text)
{
	put_string(json, text, strlen(text));
}

void wcm__json_add_name(struct wcm_json *json, const char *name)
{
	while (*name) {
		size_t plain = wcm__format_printable(name);
		char escape[] = "\\\\xNN";

		put_string(json, name, plain);
		name += plain;
		if (!*name)
			break;
		wcm__format_hex(escape + 3, (unsigned char)*name++, 2);
		put(json, escape, sizeof(escape) - 1);
	}
}

void wcm__json_end(struct wcm_json *json)
{
	put(json, "\"", 1);
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
	char digits[20];

	start_value(json, key);
	put(json, digits, wcm__format_decimal(digits, value));
}

static void put_word(struct wcm_json *json, const char *key, const char *word)
{
	start_value(json, key);
	put(json, word, strlen(word));
}

void wcm__json_bool(struct wcm_json *json, const char *key, bool value)
{
	put_word(json, key, value ? "true" : "false");
}

void wcm__json_null(struct wcm_json *json, const char *key)
{
	put_word(json, key, "null");
}

void wcm__json_hex(struct wcm_json *json, const char *key, uint64_t value)
{
	unsigned width = wcm__format_hex_digits(value);
	char digits[16];

	wcm__format_hex(digits, value, width);
	start_value(json, key);
	put(json, "\"0x", 3);
	put(json, digits, width);
	put(json, "\"", 1);
}

void wcm__json_bytes(struct wcm_json *json, const char *key,
		     const uint8_t *bytes, size_t size)
{
	wcm__json_begin(json, key);
	for (size_t i = 0; i < size; i++) {
		char digits[2];

		wcm__format_hex(digits, bytes[i], 2);
		put(json, digits, 2);
	}
	wcm__json_end(json);
}

bool wcm__json_finish(struct wcm_json *json)
{
	put(json, "\n", 1);
	flush(json);
	return !json->failed;
}
