/* SPDX-License-Identifier: MIT */
/* sink_addresses.c - E and the function's address on entry, X on exit.
 *
 * Before the first function of a module comes a line with where the module is, in the
 * words of a crash report: without it nobody could tell what the addresses are.
 */
#include "hook/lines.h"
#include "hook/memory.h"
#include "hook/noted.h"
#include "report/line.h"
#include "symbols/modules.h"

static void add_build_id(struct wcm_line *line, const struct wcm_module *module)
{
	wcm__line_text(line, " build-id ");
	if (module->build_id_size == 0)
		wcm__line_text(line, "none");
	else
		wcm__line_bytes(line, module->build_id, module->build_id_size);
}

static void write_module(uint64_t now, const struct wcm_module *module)
{
	struct wcm_line line;

	(void)now;
	wcm__line_init(&line, -1);
	wcm__line_text(&line, "# ");
	wcm__line_hex(&line, module->lo, 1);
	wcm__line_text(&line, "-");
	wcm__line_hex(&line, module->hi, 1);
	wcm__line_text(&line, " bias ");
	wcm__line_hex(&line, module->bias, 1);
	add_build_id(&line, module);
	wcm__line_text(&line, " ");
	wcm__line_name(&line, module->path);
	wcm__line_text(&line, "\n");
	wcm__lines_write(&line);
}

static bool begin(struct wcm_tracer *tracer)
{
	if (!tracer->noted && !(tracer->noted = wcm__map(sizeof(*tracer->noted))))
		return false;
	tracer->noted->size = tracer->noted->before_size = 0;
	return true;
}

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
	(void)depth;
	wcm__note(tracer->noted, call->func, call->begin);
	write_address("E", call->func);
}

static void leave(struct wcm_tracer *tracer, struct wcm_call *call,
		  uint32_t depth, uint64_t now, enum wcm_end end)
{
	(void)tracer, (void)depth, (void)now, (void)end;
	write_address("X", call->func);
}

void wcm__addresses_begin(void)
{
	wcm__noted_begin(write_module);
}

/* The child may have a file of its own, which has no modules yet. */
static void in_child(void)
{
	wcm__lines_fork();
	wcm__addresses_begin();
}

const struct wcm_sink wcm__sink_addresses = {
	.begin = begin, .enter = enter, .leave = leave, .fork = in_child,
};
