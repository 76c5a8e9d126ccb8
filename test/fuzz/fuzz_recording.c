/* SPDX-License-Identifier: MIT */
/* fuzz_recording.c - any recording, to the commands that read one. */
#include <string.h>

#include "commands.h"
#include "fuzzer.h"
#include "recordings.h"

const char fuzz_name[] = "recording";

static const char *const replay[] = { "--no-merge", "--no-comment", "--no-libcall",
				      "--no-args", "--cut", "--depth=2",
				      "--time-filter=1us", NULL };
static const char *const report[] = { "--sort=self,max", "--json", "--sort=min",
				      "--no-libcall", "--demangle=full", NULL };
static const char *const flame[] = { "--unit=ns", "--unit=calls", "--by-task",
				     "--depth=1", "--tid=7,8", NULL };
static const char *const chrome[] = { "--depth=3", "--demangle=no", "--tid=9",
				      "--time-filter=100ns", NULL };
static const char *const graph[] = { "--cut=10", "--cluster=module", "--cluster=file",
				     "--demangle=full", "--depth=5", NULL };

static const struct {
	const struct command *command;
	const char *const *options;
} uses[] = {
	{ &command_replay, replay }, { &command_report, report },
	{ &command_flame, flame },   { &command_chrome, chrome },
	{ &command_graph, graph },
};
enum { USES = sizeof(uses) / sizeof(*uses) };

static void check(const struct written *written, const struct command *command,
		  const char *option)
{
	check_printable(written->err, written->err_size);
	check_printable(written->out, written->out_size);
	if (written->out_size > 0 &&
	    (command == &command_chrome || (option && strcmp(option, "--json") == 0)))
		check_json(written->out, written->out_size, false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct choices choices = { data, data + size };
	const size_t use = choose(&choices, USES);
	const char *arguments[3] = { fuzz_dir() };
	struct written written;

	if (choose(&choices, 2))
		arguments[1] = one_of(&choices, uses[use].options);
	recording_make(&choices);
	call_command(&written, uses[use].command, arguments);
	check(&written, uses[use].command, arguments[1]);
	written_free(&written);
	return 0;
}
