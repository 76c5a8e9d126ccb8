/* SPDX-License-Identifier: MIT */
/* form_text.c (SAFE) - writes a report for people, line by line.
 *
 * Each line is written at once, so that it stands whatever goes wrong later in a broken
 * process.
 */
#include "crash/report/form.h"

#include <string.h>

#include "core/os/read.h"
#include "core/report/frame.h"
#include "core/report/line.h"
#include "core/report/text.h"
#include "crash/report/address_text.h"
#include "crash/report/signal_words.h"
#include "format/own_line.h"
#include "format/words.h"

enum { ADDRESS_DIGITS = 2 * sizeof(uintptr_t) };

static void start(struct wcm_line *line, const struct wcm_writing *writing)
{
	wcm__line_init(line, writing->fd);
	line->colours = writing->colours;
}

static void finish(struct wcm_line *line, struct wcm_writing *writing)
{
	wcm__line_text(line, "\n");
	if (!wcm__line_write(line))
		writing->failed = true;
}

static void add_at(struct wcm_line *line, const struct wcm_crash_info *crash)
{
	const uintptr_t address = (uintptr_t)crash->info->si_addr;

	wcm__line_text(line, ", at ");
	wcm__line_hex(line, address, ADDRESS_DIGITS);
	if (crash->has_address && address != 0 && wcm__is_near_null(address)) {
		wcm__line_text(line, ", ");
		wcm__address_text_add_from_null(line, address);
	}
}

static void write_signal(struct wcm_writing *writing,
			 const struct wcm_crash_info *crash)
{
	const siginfo_t *info = crash->info;
	struct wcm_cause_words cause;
	struct wcm_line line;

	wcm__crash_info_words(crash, &cause);
	start(&line, writing);
	wcm__line_alarm(&line);
	wcm__line_text(&line, WCM_OWN_LINE);
	wcm__line_name(&line, crash->program);
	wcm__line_text(&line, ": ");
	wcm__line_text(&line, wcm__signal_name(info->si_signo));
	wcm__line_text(&line, ", ");
	wcm__line_text(&line, wcm__signal_text(info->si_signo));
	wcm__line_text(&line, ": ");
	wcm__line_text(&line, cause.before);
	if (cause.name)
		wcm__line_name(&line, cause.name);
	wcm__line_text(&line, cause.after);
	if (cause.message)
		wcm__line_name(&line, cause.message);
	if (crash->has_si_addr) {
		add_at(&line, crash);
	} else if (crash->has_sender && crash->cause != WCM_CAUSE_ABORT) {
		wcm__line_text(&line, ", by process ");
		wcm__line_decimal(&line, info->si_pid);
	}
	wcm__line_plain(&line);
	finish(&line, writing);
}

static void write_thread(struct wcm_writing *writing,
			 const struct wcm_crash_info *crash)
{
	struct wcm_line line;

	start(&line, writing);
	wcm__line_text(&line, WCM_OWN_LINE "process ");
	wcm__line_decimal(&line, crash->pid);
	wcm__line_text(&line, ", thread ");
	wcm__line_decimal(&line, crash->tid);
	wcm__line_text(&line, " ");
	wcm__line_quoted(&line, crash->thread);
	finish(&line, writing);
}

static void write_location(struct wcm_writing *writing,
			   const struct wcm_crash_info *crash)
{
	struct wcm_line line;

	start(&line, writing);
	wcm__address_text_add_access(&line, crash);
	finish(&line, writing);
}

/* The registers that the address is made of, and that have one which is not canonical. */
static void write_not_canonical(struct wcm_writing *writing,
				const struct wcm_crash_info *crash)
{
	struct wcm_named_register registers[WCM_MOST_NAMED_REGISTERS];
	size_t count = wcm__arch_general_registers(crash->ucontext, wcm__read_memory,
						   registers);
	struct wcm_line line;

	start(&line, writing);
	wcm__line_text(&line, "not canonical:");
	for (size_t i = 0; i < count && i < 32; i++)
		if (crash->fault.registers & UINT32_C(1) << i) {
			wcm__line_text(&line, " ");
			wcm__line_text(&line, registers[i].name);
			wcm__line_text(&line, " ");
			wcm__address_text_add_address(&line, registers[i].value);
		}
	finish(&line, writing);
}

static void write_withheld(struct wcm_writing *writing, enum wcm_withheld why)
{
	struct wcm_line line;

	start(&line, writing);
	wcm__line_text(&line, WCM_OWN_LINE "names and offsets only: ");
	wcm__line_text(&line, why == WCM_WITHHELD_PRIVILEGED
				      ? "the program is set-user-ID or otherwise privileged"
				      : "the process is not dumpable");
	finish(&line, writing);
}

static void write_not_to(struct wcm_writing *writing, int fd)
{
	struct wcm_line line;

	start(&line, writing);
	wcm__line_text(&line, WCM_OWN_LINE "descriptor ");
	wcm__line_decimal(&line, fd);
	wcm__line_text(&line, " gets no report: it is not the file that it was");
	finish(&line, writing);
}

static void write_broken_pointer(struct wcm_writing *writing,
				 const struct wcm_crash_info *crash)
{
	struct wcm_line line;

	start(&line, writing);
	wcm__line_text(&line, WCM_OWN_LINE "thread pointer is broken");
	if (!crash->withheld) {
		wcm__line_text(&line, ": ");
		wcm__address_text_add_address(&line, crash->broken_pointer);
	}
	finish(&line, writing);
}

static void text_head(struct wcm_writing *writing, const struct wcm_crash_info *crash)
{
	write_signal(writing, crash);
	write_thread(writing, crash);
	if (crash->not_to)
		write_not_to(writing, crash->not_to);
	if (crash->withheld)
		write_withheld(writing, crash->withheld);
	if (crash->is_pointer_broken)
		write_broken_pointer(writing, crash);
}

static void text_why(struct wcm_writing *writing, const struct wcm_crash_info *crash)
{
	if (crash->has_address)
		write_location(writing, crash);
	if (crash->fault.registers)
		write_not_canonical(writing, crash);
}

/* Whether ARGUMENT cannot be taken for anything else when it stands bare. */
static bool is_plain(const char *argument)
{
	for (const char *c = argument; *c; c++)
		if (*c == ' ' || *c == '"')
			return false;
	return *argument != '\0';
}

static void add_argument(struct wcm_line *line, const char *argument)
{
	if (is_plain(argument))
		wcm__line_name(line, argument);
	else
		wcm__line_quoted(line, argument);
}

static void text_program(struct wcm_writing *writing,
			 const struct wcm_program *program)
{
	struct wcm_line line;

	start(&line, writing);
	wcm__line_text(&line, "program: ");
	wcm__line_name(&line, program->path);
	finish(&line, writing);
	if (!program->arguments)
		return;
	start(&line, writing);
	wcm__line_text(&line, "arguments:");
	for (size_t at = 0; at < program->size;
	     at += strlen(program->arguments + at) + 1) {
		wcm__line_text(&line, " ");
		add_argument(&line, program->arguments + at);
	}
	if (program->cut)
		wcm__line_text(&line, " (and more)");
	finish(&line, writing);
}

static void text_stack_begin(struct wcm_writing *writing)
{
	(void)writing;
}

static void text_frame(struct wcm_writing *writing,
		       const struct wcm_frame *frame, size_t number)
{
	struct wcm_line line;

	start(&line, writing);
	wcm__text_add_frame(&line, frame, number, !writing->withheld,
			    wcm__names_writer(writing->names));
	if (!wcm__line_write(&line))
		writing->failed = true;
}

static void text_gap(struct wcm_writing *writing, size_t count)
{
	struct wcm_line line;

	start(&line, writing);
	wcm__line_text(&line, "(");
	wcm__line_decimal(&line, (int64_t)count);
	wcm__line_text(&line, count == 1 ? " frame left out)"
					 : " frames left out)");
	finish(&line, writing);
}

/* The functions of a round, with "..." for those in the middle of a long one. */
static void add_round(struct wcm_line *line, const struct wcm_writing *writing,
		      const struct wcm_fold_run *run)
{
	enum { MOST_NAMES = 4 };

	for (unsigned i = 0; i < run->period && i < MOST_NAMES; i++) {
		struct wcm_symbol symbol;

		wcm__line_text(line, i > 0 ? ", " : "");
		if (run->round[i].flags & WCM_FRAME_SIGNAL) {
			wcm__line_text(line, "<signal handler called>");
			continue;
		}
		wcm__frame_symbol(&run->round[i], &symbol);
		wcm__text_symbol(line, run->round[i].pc, &symbol,
				 wcm__names_writer(writing->names));
	}
	if (run->period > MOST_NAMES)
		wcm__line_text(line, ", ...");
}

static void text_run(struct wcm_writing *writing, const struct wcm_fold_run *run)
{
	struct wcm_line line;

	start(&line, writing);
	wcm__line_text(&line, "... ");
	wcm__line_decimal(&line, (int64_t)run->count);
	wcm__line_text(&line, " more of ");
	add_round(&line, writing, run);
	if (run->period > 1) {
		wcm__line_text(&line, ", in rounds of ");
		wcm__line_decimal(&line, (int64_t)run->period);
	}
	finish(&line, writing);
}

static void text_heading(struct wcm_writing *writing, const char *heading)
{
	struct wcm_line line;

	start(&line, writing);
	wcm__line_text(&line, heading);
	finish(&line, writing);
}

static void text_stack_end(struct wcm_writing *writing, size_t left_out,
			   enum wcm_stop stop, const char *why)
{
	(void)left_out;
	if (stop == WCM_STOP_NONE)
		text_heading(writing, "(the stack goes on: out of time)");
	else if (!wcm__text_stop(writing->fd, stop, why))
		writing->failed = true;
}

static void text_calls_begin(struct wcm_writing *writing)
{
	if (!wcm__last_calls_head(writing->fd))
		writing->failed = true;
}

static void text_call(struct wcm_writing *writing, const struct wcm_last_call *call)
{
	const struct wcm_last_calls_text text = { writing->fd, !writing->withheld,
						  wcm__names_writer(writing->names) };

	if (!wcm__last_call_write(&text, call))
		writing->failed = true;
}

static void text_calls_end(struct wcm_writing *writing)
{
	(void)writing;
}

static void text_registers(struct wcm_writing *writing,
			   const struct wcm_named_register *registers,
			   size_t count)
{
	enum { A_LINE = 3, WIDTH = 7 };
	static const char spaces[] = "       ";
	struct wcm_line line;

	text_heading(writing, "registers:");
	for (size_t i = 0; i < count; i++) {
		const size_t length = strlen(registers[i].name);

		if (i % A_LINE == 0)
			start(&line, writing);
		wcm__line_text(&line, i % A_LINE == 0 ? "  " : "   ");
		wcm__line_text(&line, registers[i].name);
		wcm__line_text(&line, spaces + (length < WIDTH ? length
							       : WIDTH - 1));
		wcm__address_text_add_address(&line, registers[i].value);
		if (i % A_LINE == A_LINE - 1 || i == count - 1)
			finish(&line, writing);
	}
}

/* " 0f" or " <0f>"; returns its length. */
static size_t format_code_byte(char *text, uint8_t byte, bool is_pc)
{
	size_t length = 0;

	text[length++] = ' ';
	if (is_pc)
		text[length++] = '<';
	wcm__format_hex(text + length, byte, 2);
	length += 2;
	if (is_pc)
		text[length++] = '>';
	return length;
}

static void text_code(struct wcm_writing *writing, const struct wcm_code *code)
{
	enum { LONGEST = sizeof(" <00>") - 1 };
	struct wcm_line line;
	size_t room, used = 0;
	char *text;

	start(&line, writing);
	wcm__line_text(&line, "code:");
	text = wcm__line_room(&line, &room);
	for (size_t i = 0; i < code->count && room - used >= LONGEST; i++)
		used += format_code_byte(text + used, code->bytes[i],
					 code->start + i == code->pc);
	wcm__line_use_room(&line, used);
	if (code->count == 0)
		wcm__line_text(&line, " none can be read at the pc");
	finish(&line, writing);
}

static void text_threads_begin(struct wcm_writing *writing)
{
	(void)writing;
}

static bool is_same_name(const struct wcm_alike *a, const struct wcm_alike *b)
{
	size_t i = 0;

	while (i < WCM_THREAD_NAME && a->name[i] == b->name[i] && a->name[i])
		i++;
	return i == WCM_THREAD_NAME || a->name[i] == b->name[i];
}

/* How many of the COUNT threads from ALIKE on have one name, and ids that follow each other. */
static size_t count_row(const struct wcm_alike *alike, size_t count)
{
	size_t row = 1;

	while (row < count && alike[row].tid == alike[0].tid + (int)row &&
	       is_same_name(&alike[row], &alike[0]))
		row++;
	return row;
}

/* "12 "name", 13-16 "other"": the line is written and goes on in the next one where it is long. */
static void add_threads(struct wcm_line *line, struct wcm_writing *writing,
			const struct wcm_alike *alike, size_t count)
{
	enum { A_LINE = 6 };
	size_t row;

	for (size_t i = 0, n = 0; i < count; i += row, n++) {
		row = count_row(alike + i, count - i);
		wcm__line_text(line, n > 0 ? "," : "");
		if (n > 0 && n % A_LINE == 0) {
			finish(line, writing);
			start(line, writing);
			wcm__line_text(line, "  ");
		} else {
			wcm__line_text(line, " ");
		}
		wcm__line_decimal(line, alike[i].tid);
		if (row > 1) {
			wcm__line_text(line, "-");
			wcm__line_decimal(line, alike[i + row - 1].tid);
		}
		wcm__line_text(line, " ");
		wcm__line_quoted(line, alike[i].name);
	}
}

static void text_thread_begin(struct wcm_writing *writing, const struct wcm_thread *thread,
			      const struct wcm_alike *alike, size_t count)
{
	struct wcm_line line;

	start(&line, writing);
	if (count > 1) {
		wcm__line_decimal(&line, (int64_t)count);
		wcm__line_text(&line, " threads");
	} else {
		wcm__line_text(&line, "thread");
	}
	add_threads(&line, writing, alike, count);
	wcm__line_text(&line, thread->answered	? ":"
			      : thread->blocked ? WCM_NO_ANSWER_BLOCKED
						: WCM_NO_ANSWER);
	finish(&line, writing);
}

static void text_thread_end(struct wcm_writing *writing)
{
	(void)writing;
}

static void text_threads_end(struct wcm_writing *writing, bool listed)
{
	if (!listed)
		text_heading(writing, "(the other threads cannot be listed)");
}

static void text_modules_begin(struct wcm_writing *writing)
{
	text_heading(writing, "modules:");
}

static void text_module(struct wcm_writing *writing,
			const struct wcm_module *module)
{
	struct wcm_line line;

	start(&line, writing);
	wcm__line_text(&line, "  ");
	wcm__address_text_add_range(&line, module->lo, module->hi);
	wcm__line_text(&line, " bias ");
	wcm__line_hex(&line, module->bias, 1);
	wcm__line_text(&line, " build-id ");
	if (module->build_id)
		wcm__line_bytes(&line, module->build_id, module->build_id_size);
	else
		wcm__line_text(&line, "none");
	wcm__line_text(&line, " ");
	wcm__line_name(&line, module->path);
	finish(&line, writing);
}

static void text_modules_end(struct wcm_writing *writing)
{
	(void)writing;
}

static void text_end(struct wcm_writing *writing, const char *const *names,
		     size_t count)
{
	struct wcm_line line;

	(void)names;
	if (count == 0)
		return;
	start(&line, writing);
	wcm__line_text(&line, "(");
	wcm__line_decimal(&line, (int64_t)count);
	wcm__line_text(&line, count == 1 ? " section" : " sections");
	wcm__line_text(&line, writing->damaged ? " left out: what it is read from is damaged)"
					       : " left out: out of time)");
	finish(&line, writing);
}

const struct wcm_form wcm__form_text = {
	.is_for_people = true,
	.head = text_head,
	.why = text_why,
	.program = text_program,
	.stack_begin = text_stack_begin,
	.frame = text_frame,
	.gap = text_gap,
	.run = text_run,
	.stack_end = text_stack_end,
	.calls_begin = text_calls_begin,
	.call = text_call,
	.calls_end = text_calls_end,
	.registers = text_registers,
	.code = text_code,
	.threads_begin = text_threads_begin,
	.thread_begin = text_thread_begin,
	.thread_end = text_thread_end,
	.threads_end = text_threads_end,
	.modules_begin = text_modules_begin,
	.module = text_module,
	.modules_end = text_modules_end,
	.end = text_end,
};
