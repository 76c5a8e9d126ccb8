/* SPDX-License-Identifier: MIT */
/* fuzz_serve.c - any process that asks, to the resolver that finds lines.
 *
 * Whatever the requests are, each has one answer, of the form that
 * format/lines_protocol.h gives it and of a length that the asking process has room for.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/exit_status.h"
#include "commands.h"
#include "fuzzer.h"
#include "resolve/frame_lines.h"

const char fuzz_name[] = "serve";

enum { ROOM = 65536, MOST_BINARIES = 8 };

static char program[4096]; /* with debug data, as a rule */

static void put_path(struct text *text, struct choices *choices)
{
	static const char *const paths[] = { "/nowhere", "/dev/null", "/proc/self/mem", "/",
					     "relative", "/nowhere+0x12", "\\x2f", "", NULL };

	text_print(text, "%s", choose(choices, 3) ? program : one_of(choices, paths));
}

static void put_request(struct text *text, struct choices *choices)
{
	if (chance(choices, 30)) {
		text_name(text, choices);
		text_print(text, "\n");
		return;
	}
	if (chance(choices, 6)) {
		for (size_t i = choose(choices, 30); i > 0; i--)
			text_print(text, "%02zx", choose(choices, 256));
		text_print(text, ":");
	}
	put_path(text, choices);
	text_print(text, "+0x%" PRIx64, chance(choices, 6) ?
		   any_number(choices) : 0x1000 + choose(choices, 1 << 22));
	text_print(text, "%s", chance(choices, 30) ? " \t" : "");
	if (chance(choices, 100))
		for (size_t i = choose(choices, 40000); i > 0; i--)
			text_print(text, "/");
	text_print(text, "\n");
}

/* The line at TEXT ends with ":NUMBER:NUMBER". */
static bool is_place(const char *text, const char *end)
{
	for (int i = 0; i < 2; i++) {
		const char *number = end;

		while (number > text && number[-1] >= '0' && number[-1] <= '9')
			number--;
		if (number == end || number == text || number[-1] != ':')
			return false;
		end = number - 1;
	}
	return end > text;
}

/* The answer at TEXT; where the next one begins. */
static const char *check_answer(const char *text, const char *end)
{
	const char *start = text, *newline;
	size_t lines = 0;

	for (; text < end; text = newline + 1) {
		newline = memchr(text, '\n', (size_t)(end - text));
		if (!newline)
			break;
		if (newline == text) {
			if (lines == 0 || lines % 2 != 0 || newline + 1 - start >= ROOM)
				break;
			return newline + 1;
		}
		if ((lines == 0 && strncmp(text, "! ", 2) == 0) || *text == '\t')
			continue;
		if (lines++ % 2 && !is_place(text, newline))
			break;
	}
	fuzz_fail("no answer: %.*s", (int)(end - start < 2000 ? end - start : 2000), start);
}

static size_t count_lines(const struct text *text)
{
	size_t lines = 0;

	for (size_t i = 0; i < text->size; i++)
		lines += text->bytes[i] == '\n';
	return lines + (text->size > 0 && text->bytes[text->size - 1] != '\n');
}

/* What was written to stdout answers REQUESTS. */
static void check(const struct text *requests)
{
	const size_t size = (size_t)lseek(STDOUT_FILENO, 0, SEEK_CUR);
	char *text = malloc(size + 1);
	size_t answers = 0;

	if (!text || pread(STDOUT_FILENO, text, size, 0) != (ssize_t)size)
		fuzz_fail("%s", strerror(errno));
	check_printable(text, size);
	for (const char *at = text; at < text + size; answers++)
		at = check_answer(at, text + size);
	if (answers != count_lines(requests))
		fuzz_fail("%zu answers to %zu requests", answers, count_lines(requests));
	free(text);
}

static void begin(void)
{
	const ssize_t size = readlink("/proc/self/exe", program, sizeof(program) - 1);

	program[size > 0 ? size : 0] = '\0';
	for (int fd = STDIN_FILENO; fd <= STDOUT_FILENO; fd++)
		if (dup2(memfd_create(fuzz_name, MFD_CLOEXEC), fd) != fd)
			fuzz_fail("%s", strerror(errno));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct resolver resolver;
	static struct text requests;
	struct choices choices = { data, data + size };

	if (!resolver.binaries) {
		begin();
		resolver.binaries = binaries_new("/nowhere", MOST_BINARIES);
	}
	resolver.demangle = choose(&choices, 2);
	resolver.around = (unsigned)choose(&choices, 4);
	text_clear(&requests);
	for (size_t i = choose(&choices, 8); i > 0; i--)
		put_request(&requests, &choices);
	text_damage(&requests, &choices);
	if (ftruncate(STDIN_FILENO, 0) != 0 || ftruncate(STDOUT_FILENO, 0) != 0 ||
	    pwrite(STDIN_FILENO, requests.bytes, requests.size, 0) < 0)
		fuzz_fail("%s", strerror(errno));
	lseek(STDIN_FILENO, 0, SEEK_SET);
	lseek(STDOUT_FILENO, 0, SEEK_SET);
	if (serve(&resolver) != EXIT_DONE)
		fuzz_fail("it does not serve");
	check(&requests);
	return 0;
}
