/* SPDX-License-Identifier: MIT */
/* json.h (SAFE) - writes one document of JSON (RFC 8259), of any length, in bounded memory.
 *
 * KEY is the member's name, plain ASCII; NULL in an array and for the outermost
 * value.  Nesting is the caller's to keep right.  What does not fit in the buffer
 * goes out, so that a document of any length takes this much memory.
 */
#ifndef WCM_FORMAT_JSON_H
#define WCM_FORMAT_JSON_H

#include "format/words.h"

enum { WCM_JSON_BUFFER = 1024, WCM_JSON_DEPTH = 16 };

struct wcm_json {
	struct wcm_words out; /* the first member; cut where not everything was taken */
	int fd;
	enum wcm_escape names; /* how they are escaped */
	bool comma;            /* a value stands in front of the next */
	bool string;           /* one is open */
	unsigned depth;
	unsigned lines; /* the depth of the array whose values have a line each; 0: none has */
	char closing[WCM_JSON_DEPTH]; /* brackets */
	char buffer[WCM_JSON_BUFFER];
};

/* Write to FD, or to what FULL writes to.  Names of any bytes become strings by
 * WCM_ESCAPE_JSON_NAME, or HOW. */
void wcm__json_init(struct wcm_json *json, int fd);
void wcm__json_init_for(struct wcm_json *json, enum wcm_escape how,
			void (*full)(struct wcm_words *words));

/* Begin and end an object or an array, by its brackets. */
void wcm__json_open(struct wcm_json *json, const char *key, char bracket);
void wcm__json_close(struct wcm_json *json, char bracket);

/* End all that has been begun since DEPTH brackets were open, wherever its writing ended. */
void wcm__json_close_to(struct wcm_json *json, unsigned depth);

/* A string of our own words, and one from outside, of any bytes. */
void wcm__json_text(struct wcm_json *json, const char *key, const char *text);
void wcm__json_name(struct wcm_json *json, const char *key, const char *name);

/* A string in parts: text and names in any number in between. */
void wcm__json_begin(struct wcm_json *json, const char *key);
void wcm__json_add_text(struct wcm_json *json, const char *text);
void wcm__json_add_name(struct wcm_json *json, const char *name);
void wcm__json_end(struct wcm_json *json);

/* A value that is put into OUT next. */
void wcm__json_value(struct wcm_json *json, const char *key);

void wcm__json_number(struct wcm_json *json, const char *key, int64_t value);
void wcm__json_unsigned(struct wcm_json *json, const char *key, uint64_t value);
void wcm__json_bool(struct wcm_json *json, const char *key, bool value);
void wcm__json_null(struct wcm_json *json, const char *key);

/* Strings: 0x and hexadecimal digits, for numbers that a double cannot hold; and
 * BYTES, two digits each. */
void wcm__json_hex(struct wcm_json *json, const char *key, uint64_t value);
void wcm__json_bytes(struct wcm_json *json, const char *key,
		     const uint8_t *bytes, size_t size);

/* End the line.  False where not all of it was taken. */
bool wcm__json_finish(struct wcm_json *json);

#endif
