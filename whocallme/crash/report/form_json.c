/* SPDX-License-Identifier: MIT */
/* form_json.c (SAFE) - writes a report for programs: one line of JSON, by
 * doc/crash-report.schema.json.
 */
#include "crash/report/form.h"

#include <string.h>

#include "core/os/read.h"
#include "crash/report/signal_words.h"

enum { SCHEMA_VERSION = 1 };

/* An enumerator's name in the schema. */
static const char *const causes[] = {
	[WCM_CAUSE_SIGNAL] = "signal",
	[WCM_CAUSE_INSTRUCTION] = "instruction",
	[WCM_CAUSE_NULL_CALL] = "null_call",
	[WCM_CAUSE_CALL_UNMAPPED] = "call_of_unmapped",
	[WCM_CAUSE_CALL_NOT_EXECUTABLE] = "call_of_not_executable",
	[WCM_CAUSE_STACK_OVERFLOW] = "stack_overflow",
	[WCM_CAUSE_ABORT] = "abort",
};

static const char *const accesses[] = {
	[WCM_ACCESS_UNKNOWN] = "unknown",
	[WCM_ACCESS_READ] = "read",
	[WCM_ACCESS_WRITE] = "write",
	[WCM_ACCESS_EXECUTE] = "execute",
};

static const char *const locations[] = {
	[WCM_LOCATION_UNKNOWN] = "unknown",
	[WCM_LOCATION_NEAR_NULL] = "near_null",
	[WCM_LOCATION_NOT_CANONICAL] = "not_canonical",
	[WCM_LOCATION_MAPPED] = "mapped",
	[WCM_LOCATION_GUARD] = "guard",
	[WCM_LOCATION_GAP] = "gap",
};

static const char *const withheld[] = {
	[WCM_WITHHELD_PRIVILEGED] = "privileged",
	[WCM_WITHHELD_NOT_DUMPABLE] = "not_dumpable",
};

static void add_signal(struct wcm_json *json, const struct wcm_crash_info *crash)
{
	const siginfo_t *info = crash->info;

	wcm__json_open(json, "signal", '{');
	wcm__json_number(json, "number", info->si_signo);
	wcm__json_text(json, "name", wcm__signal_name(info->si_signo));
	wcm__json_text(json, "text", wcm__signal_text(info->si_signo));
	wcm__json_number(json, "code", info->si_code);
	if (crash->has_si_addr)
		wcm__json_hex(json, "address", (uintptr_t)info->si_addr);
	if (crash->has_sender)
		wcm__json_number(json, "sender", info->si_pid);
	wcm__json_close(json, '}');
}

static void add_reason(struct wcm_json *json, const struct wcm_reason *reason)
{
	if (reason->type)
		wcm__json_name(json, "exception", reason->type);
	if (reason->what)
		wcm__json_name(json, "what", reason->what);
	if (reason->text && !reason->type)
		wcm__json_name(json, "message", reason->text);
}

static void add_cause(struct wcm_json *json, const struct wcm_crash_info *crash)
{
	struct wcm_cause_words words;

	wcm__crash_info_words(crash, &words);
	wcm__json_open(json, "cause", '{');
	wcm__json_text(json, "kind", causes[crash->cause]);
	wcm__json_begin(json, "text");
	wcm__json_add_text(json, words.before);
	if (words.name)
		wcm__json_add_name(json, words.name);
	wcm__json_add_text(json, words.after);
	if (words.message)
		wcm__json_add_name(json, words.message);
	wcm__json_end(json);
	if (crash->cause == WCM_CAUSE_ABORT)
		add_reason(json, &crash->reason);
	if (crash->stack_size)
		wcm__json_number(json, "stack_size", (int64_t)crash->stack_size);
	wcm__json_close(json, '}');
}

static void add_mapping(struct wcm_json *json, const char *key,
			const struct wcm_mapping *mapping)
{
	if (!mapping->hi)
		return;
	wcm__json_open(json, key, '{');
	wcm__json_hex(json, "start", mapping->lo);
	wcm__json_hex(json, "end", mapping->hi);
	wcm__json_name(json, "permissions", mapping->permissions);
	wcm__json_hex(json, "offset", mapping->offset);
	wcm__json_name(json, "path", mapping->path);
	wcm__json_close(json, '}');
}

static void add_neighbours(struct wcm_json *json, const struct wcm_location *location)
{
	switch (location->kind) {
	case WCM_LOCATION_MAPPED:
		add_mapping(json, "mapping", &location->at);
		break;
	case WCM_LOCATION_GUARD:
		add_mapping(json, "mapping", &location->at);
		add_mapping(json, "above", &location->above);
		break;
	case WCM_LOCATION_GAP:
		add_mapping(json, "below", &location->below);
		add_mapping(json, "above", &location->above);
		break;
	case WCM_LOCATION_NEAR_NULL:
		wcm__json_number(json, "past_null",
				 wcm__bytes_past_null(location->address));
		break;
	case WCM_LOCATION_UNKNOWN:
	case WCM_LOCATION_NOT_CANONICAL:
		break;
	}
}

static void add_registers(struct wcm_json *json, const char *key,
			  const struct wcm_named_register *registers,
			  size_t count, uint32_t places)
{
	wcm__json_open(json, key, '{');
	for (size_t i = 0; i < count; i++)
		if (i >= 32 || (places & UINT32_C(1) << i))
			wcm__json_hex(json, registers[i].name,
				      registers[i].value);
	wcm__json_close(json, '}');
}

static void add_not_canonical(struct wcm_json *json, const char *key,
			      const struct wcm_crash_info *crash)
{
	struct wcm_named_register registers[WCM_MOST_NAMED_REGISTERS];
	size_t count = wcm__arch_general_registers(crash->ucontext, wcm__read_memory,
						   registers);

	if (crash->fault.registers)
		add_registers(json, key, registers, count, crash->fault.registers);
}

static void add_access(struct wcm_json *json, const struct wcm_crash_info *crash)
{
	wcm__json_open(json, "access", '{');
	wcm__json_text(json, "kind", accesses[crash->access]);
	wcm__json_hex(json, "address", crash->location->address);
	wcm__json_text(json, "place", locations[crash->location->kind]);
	add_not_canonical(json, "registers", crash);
	add_neighbours(json, crash->location);
	wcm__json_close(json, '}');
}

static void add_broken_pointer(struct wcm_json *json, const struct wcm_crash_info *crash)
{
	wcm__json_open(json, "broken_thread_pointer", '{');
	if (!crash->withheld)
		wcm__json_hex(json, "value", crash->broken_pointer);
	wcm__json_close(json, '}');
}

static void json_head(struct wcm_writing *writing, const struct wcm_crash_info *crash)
{
	struct wcm_json *json = &writing->json;

	wcm__json_init(json, writing->fd);
	wcm__json_open(json, NULL, '{');
	wcm__json_number(json, "version", SCHEMA_VERSION);
	wcm__json_name(json, "name", crash->program);
	wcm__json_number(json, "address_bits", (int64_t)(8 * sizeof(uintptr_t)));
	wcm__json_number(json, "process", crash->pid);
	wcm__json_open(json, "thread", '{');
	wcm__json_number(json, "id", crash->tid);
	wcm__json_name(json, "name", crash->thread);
	wcm__json_close(json, '}');
	add_signal(json, crash);
	add_cause(json, crash);
	if (crash->not_to)
		wcm__json_number(json, "descriptor_changed", crash->not_to);
	if (crash->withheld)
		wcm__json_text(json, "withheld", withheld[crash->withheld]);
	if (crash->is_pointer_broken)
		add_broken_pointer(json, crash);
}

static void json_why(struct wcm_writing *writing, const struct wcm_crash_info *crash)
{
	struct wcm_json *json = &writing->json;

	if (crash->has_address)
		add_access(json, crash);
	else
		add_not_canonical(json, "not_canonical", crash);
}

static void json_program(struct wcm_writing *writing,
			 const struct wcm_program *program)
{
	struct wcm_json *json = &writing->json;
	const char *argument = program->arguments;

	wcm__json_open(json, "program", '{');
	wcm__json_name(json, "path", program->path);
	if (argument) {
		wcm__json_open(json, "arguments", '[');
		for (size_t left = program->size; left > 0;) {
			const size_t size = strlen(argument) + 1;

			wcm__json_name(json, NULL, argument);
			argument += size;
			left -= size;
		}
		wcm__json_close(json, ']');
		wcm__json_bool(json, "more_arguments", program->cut);
	}
	wcm__json_close(json, '}');
}

static void json_stack_begin(struct wcm_writing *writing)
{
	wcm__json_open(&writing->json, "stack", '{');
	wcm__json_open(&writing->json, "frames", '[');
}

/* The name as people write it, unless it is written so already. */
static void add_demangled(struct wcm_json *json, const char *name,
			  enum wcm_names names)
{
	static char plain[2048]; /* one thread reports */

	if (names != WCM_NAMES_MANGLED &&
	    wcm__demangle(name, names == WCM_NAMES_SHORT, plain, sizeof(plain)))
		wcm__json_name(json, "demangled", plain);
}

static void add_symbol(struct wcm_json *json, const struct wcm_symbol *symbol,
		       enum wcm_names names)
{
	if (symbol->name) {
		wcm__json_name(json, "function", symbol->name);
		add_demangled(json, symbol->name, names);
		wcm__json_hex(json, "offset", symbol->offset);
	}
	if (symbol->flags & WCM_SYMBOL_COLD)
		wcm__json_bool(json, "cold", true);
	if (symbol->flags & WCM_SYMBOL_PART)
		wcm__json_bool(json, "part", true);
	if (symbol->flags & WCM_SYMBOL_UNLOADED)
		wcm__json_bool(json, "unloaded", true);
	if (symbol->module) {
		wcm__json_name(json, "module", symbol->module);
		wcm__json_hex(json, "module_offset", symbol->module_offset);
	}
}

static void json_frame(struct wcm_writing *writing, const struct wcm_frame_fact *frame)
{
	struct wcm_json *json = &writing->json;

	wcm__json_open(json, NULL, '{');
	wcm__json_number(json, "number", (int64_t)frame->number);
	if (!writing->withheld)
		wcm__json_hex(json, "pc", frame->pc);
	if (frame->flags & WCM_FRAME_SIGNAL)
		wcm__json_bool(json, "signal", true);
	else
		add_symbol(json, &frame->symbol, writing->names);
	if (frame->flags & WCM_FRAME_INTERRUPTED)
		wcm__json_bool(json, "interrupted", true);
	if (frame->flags & WCM_FRAME_GUESSED)
		wcm__json_bool(json, "guessed", true);
	if (frame->flags & WCM_FRAME_RESUMED)
		wcm__json_bool(json, "resumed", true);
	wcm__json_close(json, '}');
}

/* They say what was left out of the frames. */
static void json_runs(struct wcm_writing *writing, const struct wcm_fold_run *runs,
		      size_t count)
{
	struct wcm_json *json = &writing->json;

	wcm__json_close(json, ']');
	if (count == 0)
		return;
	wcm__json_open(json, "folds", '[');
	for (size_t i = 0; i < count; i++) {
		wcm__json_open(json, NULL, '{');
		wcm__json_number(json, "first", (int64_t)runs[i].first);
		wcm__json_number(json, "count", (int64_t)runs[i].count);
		wcm__json_number(json, "period", (int64_t)runs[i].period);
		wcm__json_close(json, '}');
	}
	wcm__json_close(json, ']');
}

static void json_stack_end(struct wcm_writing *writing, size_t left_out,
			   enum wcm_stop stop, const char *why)
{
	wcm__json_number(&writing->json, "left_out", (int64_t)left_out);
	wcm__json_text(&writing->json, "stop", wcm__stop_names[stop]);
	if (why)
		wcm__json_text(&writing->json, "stop_why", why);
	wcm__json_close(&writing->json, '}');
}

static void json_calls_begin(struct wcm_writing *writing)
{
	wcm__json_open(&writing->json, "last_calls", '[');
}

static void json_call(struct wcm_writing *writing, const struct wcm_last_call *told)
{
	struct wcm_json *json = &writing->json;
	struct wcm_last_call call = *told;
	struct wcm_symbol symbol;

	wcm__json_open(json, NULL, '{');
	if (call.has_time)
		wcm__json_number(json, "before_ns", call.before);
	wcm__json_number(json, "depth", call.depth);
	if (wcm__last_call_symbol(&call, &symbol)) {
		wcm__json_name(json, "function", symbol.name);
		add_demangled(json, symbol.name, writing->names);
	}
	if (!writing->withheld)
		wcm__json_hex(json, "address", call.address);
	if (symbol.module) {
		wcm__json_name(json, "module", symbol.module);
		wcm__json_hex(json, "module_offset", symbol.module_offset);
	}
	wcm__json_close(json, '}');
}

static void json_calls_end(struct wcm_writing *writing)
{
	wcm__json_close(&writing->json, ']');
}

static void json_registers(struct wcm_writing *writing,
			   const struct wcm_named_register *registers,
			   size_t count)
{
	add_registers(&writing->json, "registers", registers, count, UINT32_MAX);
}

static void json_code(struct wcm_writing *writing, const struct wcm_code *code)
{
	struct wcm_json *json = &writing->json;

	wcm__json_open(json, "code", '{');
	wcm__json_hex(json, "pc", code->pc);
	wcm__json_hex(json, "start", code->start);
	wcm__json_bytes(json, "bytes", code->bytes, code->count);
	wcm__json_close(json, '}');
}

static void json_threads_begin(struct wcm_writing *writing)
{
	wcm__json_open(&writing->json, "threads", '[');
}

static void json_thread_begin(struct wcm_writing *writing, const struct wcm_thread *thread,
			      const struct wcm_alike *alike, size_t count)
{
	(void)alike, (void)count;
	wcm__json_open(&writing->json, NULL, '{');
	wcm__json_number(&writing->json, "id", thread->tid);
	wcm__json_name(&writing->json, "name", thread->name);
	wcm__json_bool(&writing->json, "answered", thread->answered);
	if (thread->blocked)
		wcm__json_bool(&writing->json, "blocked", true);
}

static void json_thread_end(struct wcm_writing *writing)
{
	wcm__json_close(&writing->json, '}');
}

static void json_threads_end(struct wcm_writing *writing, bool listed)
{
	wcm__json_close(&writing->json, ']');
	wcm__json_bool(&writing->json, "threads_listed", listed);
}

static void json_modules_begin(struct wcm_writing *writing)
{
	wcm__json_open(&writing->json, "modules", '[');
}

static void json_module(struct wcm_writing *writing,
			const struct wcm_module *module)
{
	struct wcm_json *json = &writing->json;

	wcm__json_open(json, NULL, '{');
	wcm__json_hex(json, "start", module->lo);
	wcm__json_hex(json, "end", module->hi);
	wcm__json_hex(json, "bias", module->bias);
	if (module->build_id)
		wcm__json_bytes(json, "build_id", module->build_id,
				module->build_id_size);
	wcm__json_name(json, "path", module->path);
	wcm__json_close(json, '}');
}

static void json_modules_end(struct wcm_writing *writing)
{
	wcm__json_close(&writing->json, ']');
}

static void json_end(struct wcm_writing *writing, const char *const *names,
		     size_t count)
{
	struct wcm_json *json = &writing->json;

	wcm__json_open(json, "left_out", '[');
	for (size_t i = 0; i < count; i++)
		wcm__json_text(json, NULL, names[i]);
	wcm__json_close(json, ']');
	wcm__json_close(json, '}');
	if (!wcm__json_finish(json))
		writing->failed = true;
}

const struct wcm_form wcm__form_json = {
	.head = json_head,
	.why = json_why,
	.program = json_program,
	.stack_begin = json_stack_begin,
	.frame = json_frame,
	.runs = json_runs,
	.stack_end = json_stack_end,
	.calls_begin = json_calls_begin,
	.call = json_call,
	.calls_end = json_calls_end,
	.registers = json_registers,
	.code = json_code,
	.threads_begin = json_threads_begin,
	.thread_begin = json_thread_begin,
	.thread_end = json_thread_end,
	.threads_end = json_threads_end,
	.modules_begin = json_modules_begin,
	.module = json_module,
	.modules_end = json_modules_end,
	.end = json_end,
};
