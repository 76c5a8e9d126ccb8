/* SPDX-License-Identifier: MIT */
/* cmd_resolve.c - whocallme resolve: lines for addresses and reports. */
#include "command.h"

int cmd_resolve(int argc, char *argv[])
{
	(void)argc, (void)argv;
	return EXIT_USAGE;
}
