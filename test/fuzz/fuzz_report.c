/* SPDX-License-Identifier: MIT */
/* fuzz_report.c - any crash reports, stacks and addresses, to the commands that read
 * them. */
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "fuzzer.h"
#include "reports.h"

const char fuzz_name[] = "report";

static const struct {
	const struct command *command;
	const char *options[3];
} uses[] = {
	{ &command_group, { NULL } },
	{ &command_group, { "--json", "--frames=3" } },
	{ &command_group, { "--no-resolve", "--all-frames", "--by=function" } },
	{ &command_group, { "--by=file", "--frames=1000", "--json" } },
	{ &command_group, { "--json", "--no-resolve", "--top=2" } },
	{ &command_resolve, { NULL } },
	{ &command_resolve, { "--text", "--source=3" } },
	{ &command_resolve, { "--no-demangle", "--source" } },
	{ &command_resolve, { "--text", "--color=always" } },
	{ &command_replay, { "--program=/nowhere/prog" } },
	{ &command_chrome, { NULL } },
	{ &command_report, { "--json" } },
};
enum { USES = sizeof(uses) / sizeof(*uses), FIRST_OF_RECORDINGS = 9, OPTIONS = 3 };

static void make(struct text *text, struct choices *choices, size_t use)
{
	static const char *const noise[] = { "\n", "noise\n", "{}\n", "{\n", "#\n", "[1]\n",
					     "/nowhere/prog+0x1000\n", "\033[1m\n", NULL };

	if (use >= FIRST_OF_RECORDINGS) {
		addresses_as_text(text, choices);
		return;
	}
	for (size_t i = 1 + choose(choices, 3); i > 0; i--)
		switch (choose(choices, 6)) {
		case 0:
			stack_as_text(text, choices);
			break;
		case 1:
			text_print(text, "%s", one_of(choices, noise));
			break;
		case 2:
			addresses_as_text(text, choices);
			break;
		case 3:
			report_as_text(text, choices);
			break;
		default:
			report_as_json(text, choices);
		}
}

static void check(const struct written *written, size_t use)
{
	check_printable(written->err, written->err_size);
	/* What is no report, resolve writes as it is. */
	if (uses[use].command == &command_resolve)
		return;
	check_printable(written->out, written->out_size);
	for (size_t i = 0; i < OPTIONS && uses[use].options[i]; i++)
		if (strcmp(uses[use].options[i], "--json") == 0 && written->out_size > 0)
			check_json(written->out, written->out_size,
				   uses[use].command == &command_group);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct text text;
	static char *path;
	struct choices choices = { data, data + size };
	const size_t use = choose(&choices, USES);
	const char *arguments[OPTIONS + 2] = { NULL };
	struct written written;

	if (!path && asprintf(&path, "%s/reports", fuzz_dir()) < 0)
		return 0;
	text_clear(&text);
	make(&text, &choices, use);
	text_damage(&text, &choices);
	fuzz_write("reports", &text);
	memcpy(arguments, uses[use].options, sizeof(uses[use].options));
	for (size_t i = 0; i <= OPTIONS; i++)
		if (!arguments[i]) {
			arguments[i] = path;
			break;
		}
	call_command(&written, uses[use].command, arguments);
	check(&written, use);
	written_free(&written);
	return 0;
}
