/* SPDX-License-Identifier: MIT */
/* filter.c - addresses and reports, and whatever else is between them. */
#include "filter.h"

#include "command.h"

int filter(struct resolver *resolver, const struct filter_options *options,
	   char *inputs[])
{
	(void)resolver, (void)options, (void)inputs;
	return EXIT_USAGE;
}
