/* SPDX-License-Identifier: MIT */
/* sink_addresses.c - E and the function's address on entry, X on exit. */
#include "hook/lines.h"
#include "report/line.h"

static void write_address(const char *kind, uintptr_t func)
{
	struct wcm_line line;

	wcm__line_init(&line, -1);
	wcm__line_text(&line, kind);
	wcm__line_hex(&line, func, 1);
	wcm__line_text(&line, "\n");
	wcm__lines_write(&line);
}

static void enter(struct wcm_tracer *tracer, struct wcm_call *call,
		  uint32_t depth)
{
	(void)tracer, (void)depth;
	write_address("E", call->func);
}

static void leave(struct wcm_tracer *tracer, struct wcm_call *call,
		  uint32_t depth, uint64_t now, enum wcm_end end)
{
	(void)tracer, (void)depth, (void)now, (void)end;
	write_address("X", call->func);
}

const struct wcm_sink wcm__sink_addresses = {
	.enter = enter, .leave = leave, .fork = wcm__lines_fork,
};
