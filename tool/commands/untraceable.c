/* SPDX-License-Identifier: MIT */
/* untraceable.c - what is said of a program in which nothing can be traced.
 *
 * Each says what to build it with, by what this CPU has.
 */
#include "commands/untraceable.h"

#include "format/sled_code.h"

static const char if_nothing[] =
	"nothing in it can be traced; build it with -fpatchable-function-entry=5 (C++ by g++: "
	"whocallme cc --mode=sled --gcc=g++), which costs "
	"nothing until it is traced, or with -finstrument-functions, which shows the ends of "
	"calls, too, or give --library-calls, --system-calls or --probes, which need neither, or "
	"--force if what it loads or runs was built so";

static const char if_nothing_without_sleds[] =
	"nothing in it can be traced; build it with -finstrument-functions, or give --force if "
	"what it loads or runs was built so: functions of -fpatchable-function-entry are not "
	"traced on this CPU";

const char *untraceable_by_hooks(void)
{
	return wcm__sled_code_has_port() ? if_nothing : if_nothing_without_sleds;
}

static const char if_static[] =
	"it is linked statically and loads no library; build it with "
	"-fpatchable-function-entry=5 or -finstrument-functions, and with "
	"-Wl,-u,wcm_trace_start and libwhocallme.a";

static const char if_static_without_sleds[] =
	"it is linked statically and loads no library; build it with -finstrument-functions "
	"and with -Wl,-u,wcm_trace_start and libwhocallme.a";

static const char agent_if_static[] =
	"it is linked statically and loads no library; build it with -Wl,-u,wcm_agent_start and "
	"libwhocallme.a";

const char *untraceable_static(bool agent_alone)
{
	return agent_alone               ? agent_if_static :
	       wcm__sled_code_has_port() ? if_static :
					   if_static_without_sleds;
}
