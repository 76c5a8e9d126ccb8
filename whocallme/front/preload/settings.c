/* SPDX-License-Identifier: MIT */
/* settings.c - reads what the environment asks of the preloaded crash report.
 *
 * It runs at the start of a program that did not ask for it, so it allocates nothing
 * and prints only what is wrong.
 */
#include "front/preload/settings.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/report/line.h"

static const char prefix[] = "WHOCALLME_";

/* The trace is not of the crash report. */
static const char *const names[] = { "FILE",	"APPEND", "FORMAT",
				     "SECTIONS", "DEADLINE", "STDERR",
				     "QUIT",	"CHAIN", "CHILDREN",
				     "HELPER",	"DEMANGLE", "ARGUMENTS",
				     "FLIGHT" };
enum { NAMES = sizeof(names) / sizeof(*names) };

/* WHOCALLME_NAME, or NULL; what is empty is not set. */
static const char *setting(const char *name)
{
	char variable[32];
	const char *value;

	strcpy(variable, prefix);
	strcat(variable, name);
	value = getenv(variable);
	return value && *value ? value : NULL;
}

static void complain(const char *name, const char *value, const char *takes)
{
	struct wcm_line line;

	wcm__line_begin(&line, STDERR_FILENO);
	wcm__line_text(&line, prefix);
	wcm__line_text(&line, name);
	wcm__line_text(&line, "=");
	wcm__line_name(&line, value);
	wcm__line_text(&line, " is ignored; it takes ");
	wcm__line_text(&line, takes);
	wcm__line_text(&line, "\n");
	wcm__line_write(&line);
}

/* Whether NAME is WORD; OTHER says the same as nothing. */
static bool is_word(const char *name, const char *word, const char *other,
		    const char *takes)
{
	const char *value = setting(name);

	if (!value || strcmp(value, other) == 0)
		return false;
	if (strcmp(value, word) == 0)
		return true;
	complain(name, value, takes);
	return false;
}

/* The section that the LENGTH bytes at WORD name; 0: none. */
static uint32_t section(const char *word, size_t length)
{
	static const struct {
		const char *name;
		uint32_t bits;
	} sections[] = {
		{ "stack", WCM_SECTION_STACK },
		{ "registers", WCM_SECTION_REGISTERS },
		{ "code", WCM_SECTION_CODE },
		{ "threads", WCM_SECTION_THREADS },
		{ "modules", WCM_SECTION_MODULES },
		{ "program", WCM_SECTION_PROGRAM },
		{ "calls", WCM_SECTION_CALLS },
		{ "thread-calls", WCM_SECTION_THREAD_CALLS },
		{ "all", WCM_SECTION_STACK | WCM_SECTION_REGISTERS |
				 WCM_SECTION_CODE | WCM_SECTION_THREADS |
				 WCM_SECTION_MODULES | WCM_SECTION_PROGRAM |
				 WCM_SECTION_CALLS },
	};

	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++)
		if (strlen(sections[i].name) == length &&
		    memcmp(sections[i].name, word, length) == 0)
			return sections[i].bits;
	return 0;
}

static uint32_t read_sections(void)
{
	const char *value = setting("SECTIONS"), *word = value;
	uint32_t bits = 0, more;

	while (word) {
		size_t length = strcspn(word, ",");

		more = section(word, length);
		if (!more) {
			complain("SECTIONS", value,
				 "stack, registers, code, threads, modules, "
				 "program, calls, thread-calls, between commas, or all");
			return 0;
		}
		bits |= more;
		word = word[length] ? word + length + 1 : NULL;
	}
	return bits;
}

/* Seconds, with up to three decimals, in milliseconds; 0: it is none. */
static uint32_t milliseconds(const char *text)
{
	enum { LONGEST = 1000000 };
	uint64_t value = 0, unit = 1000;

	for (; *text >= '0' && *text <= '9'; text++) {
		value = value * 10 + (uint64_t)(*text - '0') * 1000;
		if (value > LONGEST * 1000u)
			return 0;
	}
	if (*text == '.')
		while (*++text >= '0' && *text <= '9') {
			unit /= 10;
			value += (uint64_t)(*text - '0') * unit;
		}
	return *text ? 0 : (uint32_t)value;
}

static uint32_t read_deadline(void)
{
	const char *value = setting("DEADLINE");
	uint32_t deadline = value ? milliseconds(value) : 0;

	if (value && !deadline)
		complain("DEADLINE", value, "seconds, up to 1000000");
	return deadline;
}

/* The library reads it; it has no word for what is wrong with it. */
static void check_helper(void)
{
	enum { LONGEST = 4095 };
	const char *value = setting("HELPER");

	if (value && strlen(value) > LONGEST)
		complain("HELPER", value, "a path of up to 4095 bytes, or no");
}

static uint32_t read_names(void)
{
	const char *value = setting("DEMANGLE");

	if (!value || strcmp(value, "short") == 0)
		return 0;
	if (strcmp(value, "full") == 0)
		return WCM_CRASH_FULL_NAMES;
	if (strcmp(value, "no") == 0)
		return WCM_CRASH_MANGLED_NAMES;
	complain("DEMANGLE", value, "short, full or no");
	return 0;
}

static uint32_t read_stderr(void)
{
	const char *value = setting("STDERR");

	if (!value || strcmp(value, "yes") == 0)
		return 0;
	if (strcmp(value, "no") == 0)
		return WCM_CRASH_FILE_ONLY;
	if (strcmp(value, "any") == 0)
		return WCM_CRASH_ANY_DESCRIPTOR;
	complain("STDERR", value, "yes, no or any");
	return 0;
}

void wcm__settings_read(struct wcm_crash_options *options)
{
	options->file = setting("FILE");
	options->sections = read_sections();
	options->deadline_ms = read_deadline();
	check_helper();
	options->flags |= read_names();
	if (is_word("FORMAT", "json", "text", "text or json"))
		options->flags |= WCM_CRASH_JSON;
	options->flags |= read_stderr();
	if (is_word("APPEND", "yes", "no", "yes or no"))
		options->flags |= WCM_CRASH_APPEND;
	if (is_word("QUIT", "yes", "no", "yes or no"))
		options->flags |= WCM_CRASH_THREADS_ON_QUIT;
	if (is_word("ARGUMENTS", "no", "yes", "yes or no"))
		options->flags |= WCM_CRASH_NO_ARGUMENTS;
	if (is_word("CHAIN", "first", "last", "first or last"))
		options->flags |= WCM_CRASH_CHAIN_FIRST;
}

/* Take the words of LIST that end in the file name of LIBRARY out of it, where it
 * is: what main() was given is the same memory. */
static void remove_library(char *list, const char *library)
{
	const char *slash = strrchr(library, '/');
	const char *name = slash ? slash + 1 : library;
	char *to = list;

	while (*list) {
		size_t word = strcspn(list, ": "), length = strlen(name);
		size_t next = word + (list[word] ? 1 : 0);

		if (word < length ||
		    memcmp(list + word - length, name, length) != 0 ||
		    (word > length && list[word - length - 1] != '/')) {
			memmove(to, list, next);
			to += next;
		}
		list += next;
	}
	*to = '\0';
}

bool wcm__settings_are_kept_from_children(void)
{
	return is_word("CHILDREN", "no", "yes", "yes or no");
}

void wcm__settings_keep_from_children(const char *library)
{
	char variable[32], *preloaded;

	for (int i = 0; i < NAMES; i++) {
		strcpy(variable, prefix);
		strcat(variable, names[i]);
		unsetenv(variable);
	}
	preloaded = getenv("LD_PRELOAD");
	if (!preloaded)
		return;
	remove_library(preloaded, library);
	if (!*preloaded)
		unsetenv("LD_PRELOAD");
}
