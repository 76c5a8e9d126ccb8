/* SPDX-License-Identifier: MIT */
/* classic.c - implements the original library's calls.
 *
 * It is the only file that uses both worlds: the tables that ordinary code builds, and
 * the signal-safe code that reads them.  The calls that may run in a handler only
 * read: tables, and the files of modules that have none.
 */
#include "whocallme/classic.h"

#include <unistd.h>

#include "core/arch/arch.h"
#include "core/modules/module_read.h"
#include "core/report/demangle.h"
#include "core/report/frame.h"
#include "core/symbols/dlopen_names.h"
#include "core/unwind/debug_frame.h"
#include "core/unwind/walk.h"
#include "lines/print.h"
#include "lines/resolver_session.h"
#include "load/load.h"
#include "whocallme/stack.h"
#include "whocallme/symbol.h"

#undef who_am_i
#undef full_backtrace

static __thread enum wcm_status last_status
	__attribute__((tls_model("initial-exec")));

enum wcm_status wcm_status_get(void)
{
	return last_status;
}

int init_function_table(const char *path)
{
	last_status = wcm__load_all(path);
	return last_status == WCM_OK ? 0 : -1;
}

static void add_caller(struct wcm_line *line, uintptr_t return_address)
{
	const uintptr_t site = return_address - 1;
	struct wcm_symbol symbol;

	if (wcm__arch_is_sigreturn(return_address, wcm__read_code)) {
		wcm__line_text(line, "signal handler called");
	} else {
		wcm__dlopen_names_peek(site, &symbol);
		wcm__text_symbol(line, site, &symbol, wcm__line_demangled);
	}
}

static void add_callee(struct wcm_line *line, uintptr_t at, const char *func)
{
	struct wcm_symbol symbol;

	if (wcm__dlopen_names_peek(at, &symbol) == WCM_OK)
		wcm__line_demangled(line, symbol.name);
	else
		wcm__line_name(line, func);
}

static void write_call(uintptr_t at, uintptr_t return_address, const char *func,
		       const char *caller)
{
	struct wcm_line line;

	wcm__line_begin(&line, STDERR_FILENO);
	wcm__line_text(&line, "function <");
	if (caller)
		wcm__line_text(&line, caller);
	else
		add_caller(&line, return_address);
	wcm__line_text(&line, "> call me <");
	add_callee(&line, at, func);
	wcm__line_text(&line, ">!\n");
	wcm__line_write(&line);
}

/* Write the call from what lines know of it.  False where that is no more than the
 * symbols say: the caller was not inlined. */
static bool write_inlined_call(uintptr_t at, uintptr_t return_address,
			       const char *func)
{
	struct wcm_resolver *resolver;
	struct wcm_answered answered;
	bool is_inlined;

	if (wcm__arch_is_sigreturn(return_address, wcm__read_code))
		return false;
	resolver = wcm__lines_ask(return_address - 1);
	if (!resolver)
		return false;
	wcm__print_complaint(STDERR_FILENO, resolver);
	is_inlined = wcm__resolver_next(resolver, &answered) &&
		     answered.inlined && answered.function;
	if (is_inlined)
		write_call(at, return_address, func, answered.function);
	wcm__lines_give_back(resolver);
	return is_inlined;
}

void wcm_call_write(const void *at, const void *return_address,
		    const char *func)
{
	uintptr_t callee = (uintptr_t)at;
	uintptr_t caller = wcm__arch_strip((uintptr_t)return_address);

	if (!wcm__lines_wanted() || !write_inlined_call(callee, caller, func))
		write_call(callee, caller, func, NULL);
}

const char *who_am_i(void)
{
	const uintptr_t at = wcm__arch_strip((uintptr_t)__builtin_return_address(0));
	struct wcm_symbol symbol;

	return wcm__dlopen_names_peek(at - 1, &symbol) == WCM_OK ? symbol.name : NULL;
}

/* A frame of its own, which the walk leaves first. */
__attribute__((noinline)) int full_backtrace(void)
{
	struct wcm_walk walk;
	int count = 0;

	wcm__arch_registers_here(&walk.file);
	wcm__walk_start(&walk, __builtin_return_address(0));
	for (; walk.stop == WCM_STOP_NONE; wcm__walk_next(&walk), count++) {
		wcm__walk_describe(&walk, false);
		if (!wcm__lined_frame_write(STDERR_FILENO, &walk.frame, (size_t)count,
					    wcm__line_short))
			return count;
	}
	wcm__frame_stop_write(STDERR_FILENO, walk.stop, walk.stop == WCM_STOP_NO_RULE
			       ? wcm__debug_frame_unread(walk.frame.pc) : NULL);
	return count;
}
