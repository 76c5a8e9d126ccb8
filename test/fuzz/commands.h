/* SPDX-License-Identifier: MIT */
/* commands.h - the command's subcommands, called in the fuzzer's process. */
#ifndef FUZZ_COMMANDS_H
#define FUZZ_COMMANDS_H

#include "commands/command.h"

/* What a command wrote. */
struct written {
	char *out, *err;
	size_t out_size, err_size;
	int status;
};

/* Run COMMAND with ARGUMENTS (its name is left out; NULL at the end). */
void call_command(struct written *written, const struct command *command,
		 const char *const arguments[]);
void written_free(struct written *written);

/* Fail where TEXT is not JSON; where LINES, it is a value a line. */
void check_json(const char *text, size_t size, bool lines);

#endif
