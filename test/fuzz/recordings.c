/* SPDX-License-Identifier: MIT */
/* recordings.c - recordings by their grammar.
 *
 * A directory as uftrace(1) and this library write it: info, task.txt, a map a session,
 * symbols and kinds of values a module, records a task.  Most of it makes sense, so that readers
 * come to what depends on it; what does not is what a damaged or hostile one would have.
 */
#include "recordings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SESSIONS = 4, TASKS = 5, FIRST_TID = 7, MODULES = 4, WORD = 8,
       ENTRY = 0, EXIT = 1, LOST = 2, EVENT = 3, MORE = 1 << 2, MARK = 5 << 3,
       MOST_RECORDS = 60, DEPTHS = 1024, MOST_NAMES = 36 };

/* Files of the recording, which the next one does not have. */
static char names[MOST_NAMES][64];
static size_t name_count;

static void write_file(const char *name, struct text *text, struct choices *choices)
{
	text_damage(text, choices);
	if (name_count < MOST_NAMES && !chance(choices, 40)) {
		snprintf(names[name_count++], sizeof(names[0]), "%s", name);
		fuzz_write(name, text);
	}
	text_clear(text);
}

static void remove_files(void)
{
	char path[512];

	while (name_count > 0) {
		snprintf(path, sizeof(path), "%s/%s", fuzz_dir(), names[--name_count]);
		unlink(path);
	}
}

/* Of what kinds the data behind records are: items of a pattern and specifications. */
static void put_kinds(struct text *text, struct choices *choices)
{
	static const char *const keys[] = { "argspec:", "retspec:", "argauto:", "retauto:", NULL };
	static const char *const patterns[] = { ".", "^", "*", "(a|b)*c", "[", "_Znwm", "x+$",
						NULL };
	static const char *const kinds[] = {
		"arg1", "arg2/s", "arg1/d32", "arg3/u8", "arg4/x", "arg5/o16", "arg1/p", "arg2/c",
		"arg1/e:some", "fparg1", "fparg2/32", "fparg1/80", "retval", "retval/s",
		"retval/e:some", "arg1/t20", "arg1/i64%rdi", "arg9/S%stack+3", "arg", "", NULL,
	};

	text_print(text, "%s", one_of(choices, keys));
	for (size_t items = choose(choices, 4); items > 0; items--) {
		if (choose(choices, 2))
			text_name(text, choices);
		else
			text_print(text, "%s", one_of(choices, patterns));
		for (size_t i = choose(choices, 4); i > 0; i--)
			text_print(text, "%s%s", i % 2 ? "@" : ",", one_of(choices, kinds));
		text_print(text, ";");
	}
	text_print(text, "\n");
	if (chance(choices, 2))
		text_print(text, "enumauto:enum some { A, B = 4, C = %" PRIu64 ", };\n",
			   any_number(choices));
	if (chance(choices, 4))
		text_print(text, "pattern_type:glob\n");
}

static void make_info(struct text *text, struct choices *choices)
{
	unsigned char header[40] = "Ftrace!";

	header[8] = (unsigned char)(3 + choose(choices, 3));
	header[9] = (unsigned char)(chance(choices, 50) ? choose(choices, 256) : 0);
	header[14] = (unsigned char)(chance(choices, 50) ? choose(choices, 4) : 1);
	header[16] = (unsigned char)choose(choices, 256);
	header[25] = (unsigned char)choose(choices, 8); /* 4: lines of put_kinds() */
	text_put(text, header, sizeof(header));
	for (size_t i = choose(choices, 4); i > 0; i--)
		put_kinds(text, choices);
	for (size_t i = choose(choices, 4); i > 0; i--) {
		static const char *const keys[] = { "cmdline:", "record_date:",
						    "uftrace_version:", "taskinfo:",
						    NULL };

		text_print(text, "%s", one_of(choices, keys));
		text_name(text, choices);
		text_print(text, "\n");
	}
	write_file("info", text, choices);
}

static int some_tid(struct choices *choices)
{
	return chance(choices, 30) ? (int)any_number(choices)
				   : FIRST_TID + (int)choose(choices, TASKS);
}

static void put_time(struct text *text, struct choices *choices)
{
	if (chance(choices, 30))
		text_print(text, "timestamp=%" PRIu64 ".%09" PRIu64, any_number(choices),
			   any_number(choices));
	else
		text_print(text, "timestamp=%zu.%09zu", choose(choices, 4),
			   choose(choices, 4000));
}

static const char *some_path(struct choices *choices)
{
	static const char *const paths[] = { "/nowhere/prog", "/nowhere/liba.so",
					     "/nowhere/b/liba.so", "/nowhere/libc.so",
					     "relative.so", NULL };

	return one_of(choices, paths);
}

static unsigned long long some_base(struct choices *choices)
{
	return chance(choices, 20) ? any_number(choices)
				   : 0x1000000ull + choose(choices, 6) * 0x4000;
}

static void put_line(struct text *text, struct choices *choices)
{
	switch (choose(choices, 4)) {
	case 0:
		text_print(text, "SESS ");
		put_time(text, choices);
		text_print(text, " pid=%d sid=%016zx exename=\"%s", some_tid(choices),
			   choose(choices, SESSIONS), some_path(choices));
		if (chance(choices, 8))
			text_name(text, choices);
		text_print(text, "\"\n");
		break;
	case 1:
		text_print(text, "TASK ");
		put_time(text, choices);
		text_print(text, " tid=%d pid=%d\n", some_tid(choices), some_tid(choices));
		break;
	case 2:
		text_print(text, "FORK ");
		put_time(text, choices);
		text_print(text, " pid=%d ppid=%d", some_tid(choices), some_tid(choices));
		if (chance(choices, 8))
			text_print(text, " depth=%" PRIu64, any_number(choices));
		text_print(text, "\n");
		break;
	default:
		text_print(text, "DLOP ");
		put_time(text, choices);
		text_print(text, " tid=%d sid=%016zx base=%llx", some_tid(choices),
			   choose(choices, SESSIONS), some_base(choices));
		if (chance(choices, 4))
			text_print(text, " end=%llx", some_base(choices));
		if (chance(choices, 4))
			text_print(text, " build-id=%" PRIx64, any_number(choices));
		text_print(text, " libname=\"%s\"\n", some_path(choices));
	}
}

static void make_tasks(struct text *text, struct choices *choices)
{
	if (!chance(choices, 10))
		text_print(text, "SESS timestamp=0.000000001 pid=%d sid=%016d "
			   "exename=\"/nowhere/prog\"\nTASK timestamp=0.000000002 "
			   "tid=%d pid=%d\n", FIRST_TID, 0, FIRST_TID, FIRST_TID);
	for (size_t i = choose(choices, 12); i > 0; i--)
		put_line(text, choices);
	write_file("task.txt", text, choices);
}

static void make_map(struct text *text, struct choices *choices, size_t session)
{
	static const char *const others[] = { "[stack]", "[vdso]", "", "(deleted)", NULL };
	char name[64];

	for (size_t i = choose(choices, 6); i > 0; i--) {
		unsigned long long start = some_base(choices);
		unsigned long long end = chance(choices, 8) ? some_base(choices)
							    : start + 0x4000;

		text_print(text, "%012llx-%012llx r-xp 00000000 00:00 0 %s", start, end,
			   chance(choices, 8) ? one_of(choices, others)
					      : some_path(choices));
		if (chance(choices, 4))
			text_print(text, " build-id:%" PRIx64, any_number(choices));
		text_print(text, "\n");
	}
	snprintf(name, sizeof(name), "sid-%016zx.map", session);
	write_file(name, text, choices);
}

static void make_symbols(struct text *text, struct choices *choices)
{
	static const char types[] = "TtPwW?KAd";
	const char *path = some_path(choices), *slash = strrchr(path, '/');
	uint64_t at = 0x100;
	char name[64];

	if (chance(choices, 2))
		text_print(text, "# symbols: 3\n# path name: %s\n", path);
	if (chance(choices, 4))
		text_print(text, "# build-id: %" PRIx64 "\n", any_number(choices));
	for (size_t i = choose(choices, 10); i > 0; i--) {
		at = chance(choices, 10) ? any_number(choices) : at + 0x100;
		text_print(text, "%016" PRIx64 " ", at);
		if (choose(choices, 2))
			text_print(text, "%08" PRIx64 " ",
				   chance(choices, 8) ? any_number(choices) : 0x80);
		text_print(text, "%c ", types[choose(choices, sizeof(types) - 1)]);
		text_name(text, choices);
		text_print(text, "\n");
	}
	snprintf(name, sizeof(name), "%s%s.sym", slash ? slash + 1 : path,
		 chance(choices, 8) ? "-0000" : "");
	write_file(name, text, choices);
}

/* Of what kinds the values of functions are. */
static void make_values(struct text *text, struct choices *choices)
{
	static const char *const lines[] = {
		"E: enum some {A=0,B=4,C=-9}", "#B", "#C: ww", "#C: vw", "#C: iE0is", "#C: sssdp.",
		"#C: w{ll}m5wq", "A: @arg1/s", "R: @retval/s", "A: @arg1/e:some,arg2/s",
		"A: @arg1/t16,arg2/t40,arg3/s,arg4/t16", "R: @retval/d32", NULL,
	};
	const char *path = some_path(choices), *slash = strrchr(path, '/');
	char name[64];

	for (size_t i = choose(choices, 10); i > 0; i--) {
		text_print(text, "F: %zx name\n", 0x100 * choose(choices, 12));
		for (size_t k = choose(choices, 5); k > 0; k--)
			text_print(text, "%s\n", one_of(choices, lines));
	}
	snprintf(name, sizeof(name), "%s.dbg", slash ? slash + 1 : path);
	write_file(name, text, choices);
}

/* What one task has done so far. */
struct doing {
	uint64_t time;
	unsigned depth;
	uint64_t called[64]; /* functions of open calls, the rest unknown */
};

static void put_record(struct text *text, struct doing *doing, unsigned type,
		       uint64_t address)
{
	const unsigned depth = type == EXIT ? doing->depth - 1 : doing->depth;
	const uint64_t words[2] = { doing->time, type | MARK |
				    (uint64_t)(depth % DEPTHS) << 6 | address << 16 };

	text_put(text, words, sizeof(words));
}

static void enter(struct text *text, struct doing *doing, uint64_t address)
{
	put_record(text, doing, ENTRY, address);
	if (doing->depth < 64)
		doing->called[doing->depth] = address;
	doing->depth++;
}

/* Arguments behind a record: words, or a text with its length before it. */
static void put_data(struct text *text, struct choices *choices)
{
	static const char zeros[WORD];
	uint64_t word;
	size_t start = text->size;

	if (choose(choices, 2)) {
		uint16_t length = (uint16_t)(chance(choices, 16) ? any_number(choices)
								 : choose(choices, 40));

		text_put(text, &length, sizeof(length));
		for (size_t i = choose(choices, 40); i > 0; i--)
			text_put(text, &"a, ...\0\033\377"[choose(choices, 9)], 1);
		text_put(text, zeros, (size_t)-(text->size - start) % WORD);
		return;
	}
	for (size_t i = choose(choices, 5); i > 0; i--) {
		word = any_number(choices);
		text_put(text, &word, sizeof(word));
	}
}

/* A record of the time that has come, and perhaps what does not belong there. */
static void make_record(struct text *text, struct doing *doing, struct choices *choices)
{
	uint64_t address = some_base(choices) + 0x100 * choose(choices, 12) + choose(choices, 2);
	size_t at;

	doing->time += choose(choices, 64);
	switch (choose(choices, 8)) {
	case 0:
	case 1:
	case 2:
		enter(text, doing, address);
		break;
	case 3:
	case 4:
	case 5:
		if (doing->depth == 0 && !chance(choices, 10))
			break;
		at = doing->depth - 1;
		if (at < 64 && !chance(choices, 10))
			address = doing->called[at];
		put_record(text, doing, EXIT, address);
		doing->depth -= doing->depth > 0;
		break;
	case 6:
		/* So deep that what is recorded of it wraps; what is printed of it is
		 * long. */
		if (doing->depth < DEPTHS && chance(choices, 200)) {
			for (size_t i = choose(choices, DEPTHS + 100); i > 0; i--)
				enter(text, doing, address);
			break;
		}
		put_record(text, doing, chance(choices, 2) ? LOST : EVENT,
			   chance(choices, 4) ? any_number(choices) : choose(choices, 9));
		break;
	default:
		if (chance(choices, 4))
			doing->time -= choose(choices, 1000);
		else if (chance(choices, 4))
			doing->time = any_number(choices);
		else if (chance(choices, 4))
			doing->depth = (unsigned)choose(choices, 2048);
	}
	if (text->size >= WORD && chance(choices, 8)) {
		text->bytes[text->size - WORD] |= MORE;
		put_data(text, choices);
	}
}

static void make_dat(struct text *text, struct choices *choices, int tid)
{
	struct doing doing = { .time = choose(choices, 4) * 1000000000ull + 10 };
	char name[64];

	for (size_t i = choose(choices, MOST_RECORDS); i > 0; i--)
		make_record(text, &doing, choices);
	if (chance(choices, 16))
		for (size_t i = choose(choices, 64); i > 0; i--)
			text_put(text, "", 1);
	snprintf(name, sizeof(name), "%d.dat", tid);
	write_file(name, text, choices);
}

void recording_make(struct choices *choices)
{
	static struct text text;

	remove_files();
	make_info(&text, choices);
	make_tasks(&text, choices);
	for (size_t i = 0; i < SESSIONS; i++)
		if (i == 0 || chance(choices, 3))
			make_map(&text, choices, i);
	for (size_t i = choose(choices, MODULES + 1); i > 0; i--)
		make_symbols(&text, choices);
	for (size_t i = choose(choices, MODULES); i > 0; i--)
		make_values(&text, choices);
	for (int i = 0; i < TASKS; i++)
		if (i == 0 || chance(choices, 3))
			make_dat(&text, choices, FIRST_TID + i);
}
