/* SPDX-License-Identifier: MIT */
/* reports_json.c - crash reports as JSON. */
#include "reports.h"

#include <inttypes.h>
#include <string.h>

static void put_value(struct text *text, struct choices *choices);

/* As JSON has it, but for what is no UTF-8. */
static void put_string(struct text *text, const char *bytes, size_t size)
{
	text_print(text, "\"");
	for (; size > 0; bytes++, size--)
		if (*bytes == '"' || *bytes == '\\')
			text_print(text, "\\%c", *bytes);
		else if ((unsigned char)*bytes < ' ')
			text_print(text, "\\u%04x", *bytes);
		else
			text_put(text, bytes, 1);
	text_print(text, "\"");
}

static void put_name(struct text *text, struct choices *choices)
{
	static struct text name;

	text_clear(&name);
	text_name(&name, choices);
	put_string(text, name.bytes, name.size);
}

static void put_path(struct text *text, struct choices *choices)
{
	const char *path = report_path(choices);

	put_string(text, path, strlen(path));
}

static void put_key(struct text *text, const char *key)
{
	const char last = text->size ? text->bytes[text->size - 1] : '{';

	text_print(text, "%s\"%s\":", last == '{' || last == '[' ? "" : ",", key);
}

/* The member KEY is to follow; now and then it is of another kind, or left out. */
static bool is_regular(struct text *text, struct choices *choices, const char *key)
{
	if (chance(choices, 30))
		return false;
	put_key(text, key);
	if (!chance(choices, 30))
		return true;
	put_value(text, choices);
	return false;
}

static void put_hex(struct text *text, struct choices *choices, const char *key,
		    uint64_t value)
{
	if (is_regular(text, choices, key))
		text_print(text, "\"0x%" PRIx64 "\"", value);
}

static void put_number(struct text *text, struct choices *choices, const char *key)
{
	if (is_regular(text, choices, key))
		text_print(text, "%" PRId64, (int64_t)any_number(choices));
}

static void put_text(struct text *text, struct choices *choices, const char *key)
{
	if (is_regular(text, choices, key))
		put_name(text, choices);
}

/* Anything, of the kinds that members are of. */
static void put_value(struct text *text, struct choices *choices)
{
	static const char *const values[] = { "null", "true", "[]", "{}", "-1", "1e9",
					      "\"0x\"", "[null]", "{\"a\":1}", "0", NULL };

	if (choose(choices, 2))
		text_print(text, "%s", one_of(choices, values));
	else
		put_name(text, choices);
}

static void put_line(struct text *text, struct choices *choices)
{
	text_print(text, "{");
	put_text(text, choices, "function");
	if (choose(choices, 2) && is_regular(text, choices, "file"))
		put_path(text, choices);
	put_number(text, choices, "line");
	put_number(text, choices, "column");
	if (choose(choices, 2) && is_regular(text, choices, "inlined"))
		text_print(text, "true");
	if (chance(choices, 6) && is_regular(text, choices, "source")) {
		text_print(text, "[{");
		put_number(text, choices, "line");
		put_text(text, choices, "text");
		text_print(text, "}]");
	}
	text_print(text, "}");
}

static void put_lines(struct text *text, struct choices *choices)
{
	text_print(text, "[");
	for (size_t i = choose(choices, 4); i > 0; i--) {
		put_line(text, choices);
		text_print(text, i > 1 ? "," : "");
	}
	text_print(text, "]");
}

static void put_frame(struct text *text, struct choices *choices, size_t number)
{
	text_print(text, "{\"number\":%zu", number);
	put_hex(text, choices, "pc", report_pc(choices));
	if (!chance(choices, 6))
		put_text(text, choices, "function");
	put_hex(text, choices, "offset", any_number(choices));
	if (is_regular(text, choices, "module"))
		put_path(text, choices);
	put_hex(text, choices, "module_offset", report_pc(choices));
	if (chance(choices, 8) && is_regular(text, choices, "interrupted"))
		text_print(text, "true");
	if (chance(choices, 8) && is_regular(text, choices, "signal"))
		text_print(text, "true");
	if (chance(choices, 4) && is_regular(text, choices, "lines"))
		put_lines(text, choices);
	text_print(text, "}");
}

static void put_stack(struct text *text, struct choices *choices)
{
	const size_t count = choose(choices, chance(choices, 16) ? 200 : 6);

	text_print(text, "{");
	if (is_regular(text, choices, "frames")) {
		text_print(text, "[");
		for (size_t i = 0; i < count; i++) {
			text_print(text, i ? "," : "");
			if (chance(choices, 40))
				put_value(text, choices);
			else
				put_frame(text, choices, i);
		}
		text_print(text, "]");
	}
	put_number(text, choices, "left_out");
	put_text(text, choices, "stop");
	text_print(text, "}");
}

static void put_modules(struct text *text, struct choices *choices)
{
	const size_t count = choose(choices, 6);

	text_print(text, "[");
	for (size_t i = 0; i < count; i++) {
		uint64_t lo = report_pc(choices) & ~(uint64_t)0xfff;

		text_print(text, i ? ",{" : "{");
		put_hex(text, choices, "start", lo);
		put_hex(text, choices, "end", lo + 0x10000);
		put_hex(text, choices, "bias", lo);
		if (is_regular(text, choices, "build_id")) {
			text_print(text, "\"");
			report_build_id(text, choices);
			text_print(text, "\"");
		}
		if (is_regular(text, choices, "path"))
			put_path(text, choices);
		text_print(text, "}");
	}
	text_print(text, "]");
}

static void put_cause(struct text *text, struct choices *choices)
{
	if (is_regular(text, choices, "signal")) {
		text_print(text, "{");
		put_number(text, choices, "number");
		put_text(text, choices, "name");
		put_text(text, choices, "text");
		put_number(text, choices, "code");
		put_hex(text, choices, "address", any_number(choices));
		text_print(text, "}");
	}
	if (is_regular(text, choices, "cause")) {
		text_print(text, "{");
		put_text(text, choices, "kind");
		put_text(text, choices, "text");
		if (chance(choices, 3))
			put_text(text, choices, "message");
		if (chance(choices, 3))
			put_text(text, choices, "what");
		text_print(text, "}");
	}
}

/* What is not looked at but shown. */
static void put_rest(struct text *text, struct choices *choices)
{
	if (choose(choices, 2) && is_regular(text, choices, "access")) {
		text_print(text, "{");
		put_text(text, choices, "kind");
		put_hex(text, choices, "address", any_number(choices));
		put_text(text, choices, "place");
		put_number(text, choices, "past_null");
		text_print(text, "}");
	}
	if (choose(choices, 2) && is_regular(text, choices, "registers")) {
		text_print(text, "{");
		put_hex(text, choices, "rax", any_number(choices));
		text_print(text, "}");
	}
	if (choose(choices, 2) && is_regular(text, choices, "program")) {
		text_print(text, "{\"path\":\"/nowhere\"");
		if (is_regular(text, choices, "arguments")) {
			text_print(text, "[");
			put_name(text, choices);
			text_print(text, "]");
		}
		text_print(text, "}");
	}
	if (chance(choices, 3) && is_regular(text, choices, "threads")) {
		text_print(text, "[{\"id\":3,\"name\":");
		put_name(text, choices);
		if (is_regular(text, choices, "stack"))
			put_stack(text, choices);
		text_print(text, "}]");
	}
	if (chance(choices, 5) && is_regular(text, choices, "complaints")) {
		text_print(text, "[");
		put_name(text, choices);
		text_print(text, "]");
	}
}

void report_as_json(struct text *text, struct choices *choices)
{
	text_print(text, "{\"version\":%s", chance(choices, 20) ? "2" : "1");
	put_text(text, choices, "name");
	put_number(text, choices, "process");
	if (is_regular(text, choices, "thread"))
		text_print(text, "{\"id\":7,\"name\":\"x\"}");
	put_cause(text, choices);
	if (is_regular(text, choices, "stack"))
		put_stack(text, choices);
	put_rest(text, choices);
	if (is_regular(text, choices, "modules"))
		put_modules(text, choices);
	text_print(text, ",\"left_out\":[]}\n");
}
