/* SPDX-License-Identifier: MIT */
/* sink_addresses.c (SAFE) - writes E and the function's address on entry, X on exit.
 *
 * A line with the module's address range, in the words of a crash report, precedes the first
 * function of each module: without it nobody could tell what the addresses are.
 */
#include "trace/log/text_sinks.h"

#include "core/modules/modules.h"
#include "core/os/slab.h"
#include "format/line.h"
#include "trace/names/recorded_modules.h"
#include "trace/engine/tracer_life.h"
#include "trace/log/line_output.h"

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
	wcm__line_output_write(&line);
}

bool wcm__addresses_begin(struct wcm_tracer *tracer)
{
	if (!tracer->recorded &&
	    !(tracer->recorded = wcm__slab_take(sizeof(*tracer->recorded))))
		return wcm__tracers_starve();
	*tracer->recorded = (struct wcm_recorded_last){ 0 };
	return true;
}

static void write_address(const char *kind, uintptr_t func)
{
	struct wcm_line line;

	wcm__line_init(&line, -1);
	wcm__line_text(&line, kind);
	wcm__line_hex(&line, func, 1);
	wcm__line_text(&line, "\n");
	wcm__line_output_write(&line);
}

void wcm__addresses_enter(struct wcm_tracer *tracer, struct wcm_call *call,
		  uint32_t depth)
{
	(void)depth;
	wcm__recorded_note(tracer->recorded, call->func, call->begin);
	write_address("E", call->func);
}

void wcm__addresses_leave(struct wcm_tracer *tracer, struct wcm_call *call,
		  uint32_t depth, uint64_t now, enum wcm_end end)
{
	(void)tracer, (void)depth, (void)now, (void)end;
	write_address("X", call->func);
}

void wcm__addresses_open(void)
{
	wcm__recorded_begin(write_module);
}

/* The child may have a file of its own, which has no modules yet. */
void wcm__addresses_fork(void)
{
	wcm__line_output_fork();
	wcm__addresses_open();
}
