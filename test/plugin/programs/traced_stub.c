/* SPDX-License-Identifier: MIT */
/* traced_stub.c - what inserted calls lead to where a test has no need of the runtime.  TRACED is
 * "lines", for a line on stderr each, or "counts", for a line at the end for each function and
 * kind of event, after its count; hooks are given as addresses then.  Without it nothing is
 * told. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PLAIN __attribute__((no_instrument_function))

enum way { UNKNOWN, NOTHING, LINES, COUNTS };

static PLAIN enum way way_to_trace(void)
{
	static enum way way;
	const char *traced;

	if (way == UNKNOWN) {
		traced = getenv("TRACED");
		way = !traced ? NOTHING : strcmp(traced, "counts") ? LINES : COUNTS;
	}
	return way;
}

static PLAIN void write_line(const char *line, int length)
{
	if (write(2, line, (size_t)length) != length)
		_exit(99);
}

/* What has been told, by the address of its prefix or of its function. */
static struct {
	const void *what;
	const char *event;
	unsigned long count;
} told[1 << 16];

static PLAIN void count(const void *what, const char *event)
{
	size_t slot = ((uintptr_t)what * 31 + (uintptr_t)event) * 2654435761u;

	for (;; slot++) {
		slot %= sizeof(told) / sizeof(*told);
		if (!told[slot].what) {
			told[slot].what = what;
			told[slot].event = event;
		}
		if (told[slot].what == what && told[slot].event == event)
			break;
	}
	told[slot].count++;
}

__attribute__((destructor(101))) static PLAIN void write_counts(void)
{
	char line[1024];

	for (size_t i = 0; i < sizeof(told) / sizeof(*told); i++) {
		if (told[i].what && !*told[i].event)
			write_line(line, snprintf(line, sizeof(line), "%lu %s\n", told[i].count,
						  (const char *)told[i].what));
		else if (told[i].what)
			write_line(line, snprintf(line, sizeof(line), "%lu ev=%s fn=%p \n",
						  told[i].count, told[i].event, told[i].what));
	}
}

void __inject_trace_write(const char *prefix, unsigned int length, unsigned long ip);

PLAIN void __inject_trace_write(const char *prefix, unsigned int length, unsigned long ip)
{
	char line[1024];

	if (prefix[length] || !prefix[length - 1])
		_exit(99);
	if (way_to_trace() == LINES)
		write_line(line, snprintf(line, sizeof(line), "%s%016lx\n", prefix, ip));
	else if (way_to_trace() == COUNTS)
		count(prefix, "");
}

static PLAIN void tell_hook(const char *event, void *function)
{
	char line[1024];
	Dl_info info;

	if (way_to_trace() == COUNTS)
		count(function, event);
	if (way_to_trace() != LINES)
		return;
	if (!dladdr(function, &info) || info.dli_saddr != function)
		info.dli_sname = "?";
	write_line(line, snprintf(line, sizeof(line), "ev=%s fn=%s ip=0x0\n", event,
				  info.dli_sname));
}

PLAIN void __cyg_profile_func_enter(void *function, void *call_site)
{
	(void)call_site;
	tell_hook("entry", function);
}

PLAIN void __cyg_profile_func_exit(void *function, void *call_site)
{
	(void)call_site;
	tell_hook("exit", function);
}
