/* SPDX-License-Identifier: MIT */
/* commands.c - the command's subcommands, called in the fuzzer's process.
 *
 * What they print goes to memory, and is looked at: others' bytes must not reach a
 * terminal as they are, and what is to be JSON must be that.
 */
#include "commands.h"

#include <getopt.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/exit_status.h"
#include "fuzzer.h"

void call_command(struct written *written, const struct command *command,
		  const char *const arguments[])
{
	enum { MOST = 16 };
	FILE *out = stdout, *err = stderr;
	char *argv[MOST + 1];
	int argc = 0;

	argv[argc++] = strdup(command->name);
	while (*arguments && argc < MOST)
		argv[argc++] = strdup(*arguments++);
	argv[argc] = NULL;
	*written = (struct written){ NULL, NULL, 0, 0, 0 };
	stdout = open_memstream(&written->out, &written->out_size);
	stderr = open_memstream(&written->err, &written->err_size);
	if (!stdout || !stderr)
		abort();
	optind = 0; /* begin anew */
	complain_as(command->name);
	written->status = command->run(argc, argv);
	fclose(stdout);
	fclose(stderr);
	stdout = out;
	stderr = err;
	while (argc > 0)
		free(argv[--argc]);
	if (written->status < 0 || written->status > EXIT_PARTLY)
		fuzz_fail("%s: status %d: %s", command->name, written->status,
			  written->err);
}

void written_free(struct written *written)
{
	free(written->out);
	free(written->err);
}

static void check_value(const char *text, size_t size)
{
	const size_t flags = JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL |
			     JSON_DECODE_ANY;
	json_error_t error;
	json_t *value = json_loadb(text, size, flags, &error);

	if (!value)
		fuzz_fail("%s, at %d, of %.*s", error.text, error.position,
			  (int)(size < 4000 ? size : 4000), text);
	json_decref(value);
}

void check_json(const char *text, size_t size, bool lines)
{
	const char *end = text + size, *newline;

	if (!lines) {
		check_value(text, size);
		return;
	}
	for (; text < end; text = newline + 1) {
		newline = memchr(text, '\n', (size_t)(end - text));
		if (!newline)
			fuzz_fail("the last line does not end");
		check_value(text, (size_t)(newline - text));
	}
}
