/* SPDX-License-Identifier: MIT */
/* cmd_group.c - whocallme group: which crashes are the same? */
#include "command.h"

int cmd_group(int argc, char *argv[])
{
	(void)argc, (void)argv;
	return EXIT_USAGE;
}
