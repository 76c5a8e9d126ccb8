/* SPDX-License-Identifier: MIT */
/* test_json.c - JSON as it reaches a descriptor. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "format/json.h"
#include "support/check.h"

static int open_memory(void)
{
	int fd = memfd_create("json", 0);

	CHECK(fd >= 0);
	return fd;
}

/* What was written to FD, which is closed; to be freed. */
static char *take_written(int fd, size_t *size)
{
	off_t end = lseek(fd, 0, SEEK_END);
	char *text = malloc((size_t)end + 1);

	CHECK(end >= 0);
	CHECK(text != NULL);
	CHECK_EQ(pread(fd, text, (size_t)end, 0), end);
	text[end] = '\0';
	close(fd);
	*size = (size_t)end;
	return text;
}

static void check_written(int fd, const char *expected)
{
	size_t size;
	char *text = take_written(fd, &size);

	CHECK_STR(text, expected);
	free(text);
}

TEST(values_of_every_kind)
{
	int fd = open_memory();
	struct wcm_json json;

	wcm__json_init(&json, fd);
	wcm__json_open(&json, NULL, '{');
	wcm__json_number(&json, "n", INT64_MIN);
	wcm__json_hex(&json, "h", UINT64_MAX);
	wcm__json_hex(&json, "z", 0);
	wcm__json_open(&json, "a", '[');
	wcm__json_bool(&json, NULL, true);
	wcm__json_bool(&json, NULL, false);
	wcm__json_null(&json, NULL);
	wcm__json_open(&json, NULL, '{');
	wcm__json_close(&json, '}');
	wcm__json_close(&json, ']');
	wcm__json_bytes(&json, "b", (const uint8_t *)"\x00\x0f\xff", 3);
	wcm__json_text(&json, "t", "a \"word\"");
	wcm__json_begin(&json, "p");
	wcm__json_add_text(&json, "'");
	wcm__json_add_name(&json, "\n");
	wcm__json_add_text(&json, "'");
	wcm__json_end(&json);
	wcm__json_close(&json, '}');
	CHECK(wcm__json_finish(&json));
	check_written(fd, "{\"n\":-9223372036854775808,"
			  "\"h\":\"0xffffffffffffffff\",\"z\":\"0x0\","
			  "\"a\":[true,false,null,{}],\"b\":\"000fff\","
			  "\"t\":\"a \\\"word\\\"\",\"p\":\"'\\\\x0a'\"}\n");
}

static unsigned hex_digit(char c)
{
	CHECK((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'));
	return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* Undo what a schema's reader undoes: JSON's escapes, then ours. */
static size_t decode(const char *text, char *bytes)
{
	size_t size = 0;

	CHECK(*text++ == '"');
	while (*text != '"') {
		CHECK((unsigned char)*text >= 0x20);
		if (*text != '\\') {
			bytes[size++] = *text++;
			continue;
		}
		if (text[1] == '"') {
			bytes[size++] = '"';
			text += 2;
			continue;
		}
		CHECK(memcmp(text, "\\\\x", 3) == 0);
		bytes[size++] = (char)(hex_digit(text[3]) << 4 |
				       hex_digit(text[4]));
		text += 5;
	}
	CHECK_STR(text, "\"\n");
	return size;
}

/* What comes back is what went in, so no two names look the same. */
static void check_there_and_back(const char *name)
{
	int fd = open_memory();
	struct wcm_json json;
	char *text, bytes[16];
	size_t size;

	wcm__json_init(&json, fd);
	wcm__json_name(&json, NULL, name);
	CHECK(wcm__json_finish(&json));
	text = take_written(fd, &size);
	CHECK_EQ(decode(text, bytes), strlen(name));
	CHECK(memcmp(bytes, name, strlen(name)) == 0);
	free(text);
}

TEST(names_of_any_two_bytes_come_back)
{
	for (unsigned a = 1; a < 256; a++)
		for (unsigned b = 0; b < 256; b++)
			check_there_and_back(
				(const char[]){ (char)a, (char)b, '\0' });
}

TEST(names_that_look_like_escapes_come_back)
{
	check_there_and_back("");
	check_there_and_back("\\x41");
	check_there_and_back("\\\\x0a\n");
	check_there_and_back("\\u0041\"");
	check_there_and_back("\xe2\x82\xac\xe2\x82");
	check_there_and_back("\xed\xa0\x80");
}

/* Longer than the buffer, by any remainder. */
TEST(a_document_of_any_length_is_whole)
{
	enum { NUMBERS = 4000 };
	int fd = open_memory();
	struct wcm_json json;
	size_t size;
	char *text, *at;

	wcm__json_init(&json, fd);
	wcm__json_open(&json, NULL, '[');
	for (int i = 0; i < NUMBERS; i++)
		wcm__json_number(&json, NULL, i);
	wcm__json_close(&json, ']');
	CHECK(wcm__json_finish(&json));
	text = take_written(fd, &size);
	CHECK(size > 8 * WCM_JSON_BUFFER);
	at = text;
	for (int i = 0; i < NUMBERS; i++) {
		CHECK(*at++ == (i ? ',' : '['));
		CHECK_EQ(strtol(at, &at, 10), i);
	}
	CHECK_STR(at, "]\n");
	free(text);
}

TEST(a_descriptor_that_refuses_is_told)
{
	struct wcm_json json;

	wcm__json_init(&json, -1);
	wcm__json_number(&json, NULL, 1);
	CHECK(!wcm__json_finish(&json));
	wcm__json_init(&json, open("/dev/full", O_WRONLY));
	for (int i = 0; i < 1000; i++)
		wcm__json_number(&json, NULL, i);
	CHECK(json.out.is_cut);
	CHECK(!wcm__json_finish(&json));
	close(json.fd);
}

RUN(values_of_every_kind, names_of_any_two_bytes_come_back,
    names_that_look_like_escapes_come_back,
    a_document_of_any_length_is_whole, a_descriptor_that_refuses_is_told)
