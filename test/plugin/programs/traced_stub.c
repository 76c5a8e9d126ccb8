/* SPDX-License-Identifier: MIT */
/* traced_stub.c - what inserted calls lead to where a test has no need of the runtime: to text
 * on stderr if TRACED is set, and to nothing else. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PLAIN __attribute__((no_instrument_function))

static PLAIN int is_traced(void)
{
	static int answer;

	if (!answer)
		answer = getenv("TRACED") ? 1 : -1;
	return answer > 0;
}

static PLAIN void write_line(const char *line, int length)
{
	if (write(2, line, (size_t)length) != length)
		_exit(99);
}

void __inject_trace_write(const char *prefix, unsigned int length, unsigned long ip);

PLAIN void __inject_trace_write(const char *prefix, unsigned int length, unsigned long ip)
{
	char line[1024];

	if (strlen(prefix) != length)
		_exit(99);
	if (is_traced())
		write_line(line, snprintf(line, sizeof(line), "%s%016lx\n", prefix, ip));
}

static PLAIN void write_hook(const char *event, void *function)
{
	char line[1024];
	Dl_info info;

	if (!is_traced())
		return;
	if (!dladdr(function, &info) || info.dli_saddr != function)
		info.dli_sname = "?";
	write_line(line, snprintf(line, sizeof(line), "ev=%s fn=%s ip=0x0\n", event,
				  info.dli_sname));
}

PLAIN void __cyg_profile_func_enter(void *function, void *call_site)
{
	(void)call_site;
	write_hook("entry", function);
}

PLAIN void __cyg_profile_func_exit(void *function, void *call_site)
{
	(void)call_site;
	write_hook("exit", function);
}
