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
#include "crash/report/signal_words.h"
#include "format/own_line.h"
#include "format/words.h"

/* The line that is made: one thread reports. */
static struct wcm_line line;

static void start(const struct wcm_writing *writing)
{
	wcm__line_init(&line, writing->fd);
	line.colours = writing->colours;
}

/* LINE has its newline. */
static void write_out(struct wcm_writing *writing)
{
	if (!wcm__line_write(&line))
		writing->failed = true;
}

static void finish(struct wcm_writing *writing)
{
	wcm__line_text(&line, "\n");
	write_out(writing);
}

static void text_heading(struct wcm_writing *writing, const char *heading)
{
	start(writing);
	wcm__line_text(&line, heading);
	finish(writing);
}

static void write_address(uintptr_t address)
{
	wcm__text_address(&line, address, WCM_ADDRESS_DIGITS);
}

static void head_of(struct wcm_head_fact *head, const struct wcm_crash_info *crash)
{
	const siginfo_t *info = crash->info;
	const uintptr_t address = crash->has_si_addr ? (uintptr_t)info->si_addr : 0;

	*head = (struct wcm_head_fact){
		.program = crash->program,
		.thread = crash->thread,
		.signal = wcm__signal_name(info->si_signo),
		.signal_text = wcm__signal_text(info->si_signo),
		.process = crash->pid,
		.thread_id = crash->tid,
		.has_address = crash->has_si_addr,
		.address = address,
		.is_near_null = crash->has_address && address != 0 && wcm__is_near_null(address),
		.past_null = wcm__bytes_past_null(address),
		.has_sender = crash->has_sender && crash->cause != WCM_CAUSE_ABORT,
		.sender = crash->has_sender ? info->si_pid : 0,
	};
	wcm__crash_info_words(crash, &head->cause);
}

static void add_range(uintptr_t lo, uintptr_t hi)
{
	wcm__line_dim(&line);
	wcm__line_hex(&line, lo, WCM_ADDRESS_DIGITS);
	wcm__line_text(&line, "-");
	wcm__line_hex(&line, hi, WCM_ADDRESS_DIGITS);
	wcm__line_plain(&line);
}

/* 0x...-0x... r-xp 0x1000 /usr/bin/prog, the number being the file's offset */
static void add_mapping(const struct wcm_mapping *mapping)
{
	add_range(mapping->lo, mapping->hi);
	wcm__line_text(&line, " ");
	wcm__line_name(&line, mapping->permissions);
	wcm__line_text(&line, " ");
	wcm__line_hex(&line, mapping->offset, 1);
	if (mapping->path[0]) {
		wcm__line_text(&line, " ");
		wcm__line_name(&line, mapping->path);
	}
}

/* A neighbour, unless it is in another half of 64 bits: the kernel's. */
static void add_neighbour(uint64_t bytes, const char *word,
			  const struct wcm_mapping *mapping)
{
	if (!mapping->hi || bytes > INT64_MAX)
		return;
	wcm__line_text(&line, ", ");
	wcm__text_distance(&line, (int64_t)bytes, word, "");
	add_mapping(mapping);
}

static void add_gap(const struct wcm_location *location)
{
	wcm__line_text(&line, "nothing is mapped here");
	add_neighbour(location->address - location->below.hi, "past ", &location->below);
	add_neighbour(location->above.lo - location->address, "before ", &location->above);
}

static void add_location(const struct wcm_location *location)
{
	switch (location->kind) {
	case WCM_LOCATION_UNKNOWN:
		wcm__line_text(&line, "what is mapped here is unknown");
		break;
	case WCM_LOCATION_NEAR_NULL:
		wcm__text_from_null(&line, wcm__bytes_past_null(location->address));
		break;
	case WCM_LOCATION_NOT_CANONICAL:
		wcm__line_text(&line, "not canonical");
		break;
	case WCM_LOCATION_MAPPED:
		wcm__line_text(&line, "in ");
		add_mapping(&location->at);
		break;
	case WCM_LOCATION_GUARD:
		wcm__line_text(&line, "in the guard ");
		add_mapping(&location->at);
		wcm__line_text(&line, " below ");
		add_mapping(&location->above);
		break;
	case WCM_LOCATION_GAP:
		add_gap(location);
		break;
	}
}

/* What is mapped next to a stack that overflowed is of no interest. */
static void add_used_up(uint64_t size)
{
	wcm__line_text(&line, "the stack");
	if (size) {
		wcm__line_text(&line, " of ");
		wcm__line_decimal(&line, (int64_t)((size + 1023) >> 10));
		wcm__line_text(&line, " KiB");
	}
	wcm__line_text(&line, " is used up");
}

static void write_location(struct wcm_writing *writing, const struct wcm_crash_info *crash)
{
	static const char *const accesses[] = {
		[WCM_ACCESS_UNKNOWN] = "access to ",
		[WCM_ACCESS_READ] = "read of ",
		[WCM_ACCESS_WRITE] = "write to ",
		[WCM_ACCESS_EXECUTE] = "execution of ",
	};

	start(writing);
	wcm__line_text(&line, accesses[crash->access]);
	write_address(crash->location->address);
	wcm__line_text(&line, ": ");
	if (crash->cause == WCM_CAUSE_STACK_OVERFLOW)
		add_used_up(crash->stack_size);
	else
		add_location(crash->location);
	finish(writing);
}

/* The registers that the address is made of, and that have one which is not canonical. */
static void write_not_canonical(struct wcm_writing *writing,
				const struct wcm_crash_info *crash)
{
	struct wcm_named_register registers[WCM_MOST_NAMED_REGISTERS];
	size_t count = wcm__arch_general_registers(crash->ucontext, wcm__read_memory,
						   registers);

	start(writing);
	wcm__line_text(&line, "not canonical:");
	for (size_t i = 0; i < count && i < 32; i++)
		if (crash->fault.registers & UINT32_C(1) << i) {
			wcm__line_text(&line, " ");
			wcm__line_text(&line, registers[i].name);
			wcm__line_text(&line, " ");
			write_address(registers[i].value);
		}
	finish(writing);
}

static void write_not_to(struct wcm_writing *writing, int fd)
{
	start(writing);
	wcm__line_text(&line, WCM_OWN_LINE "descriptor ");
	wcm__line_decimal(&line, fd);
	wcm__line_text(&line, " gets no report: it is not the file that it was");
	finish(writing);
}

static void write_broken_pointer(struct wcm_writing *writing,
				 const struct wcm_crash_info *crash)
{
	start(writing);
	wcm__line_text(&line, WCM_OWN_LINE "thread pointer is broken");
	if (!crash->withheld) {
		wcm__line_text(&line, ": ");
		write_address(crash->broken_pointer);
	}
	finish(writing);
}

#define WITHHELD WCM_OWN_LINE "names and offsets only: "

static void text_head(struct wcm_writing *writing, const struct wcm_crash_info *crash)
{
	struct wcm_head_fact head;

	head_of(&head, crash);
	start(writing);
	wcm__text_signal(&line, &head, WCM_ADDRESS_DIGITS);
	write_out(writing);
	start(writing);
	wcm__text_process(&line, &head);
	write_out(writing);
	if (crash->not_to)
		write_not_to(writing, crash->not_to);
	if (crash->withheld)
		text_heading(writing, crash->withheld == WCM_WITHHELD_PRIVILEGED
					      ? WITHHELD "the program is set-user-ID or otherwise "
							 "privileged"
					      : WITHHELD "the process is not dumpable");
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

static void text_program(struct wcm_writing *writing,
			 const struct wcm_program *program)
{
	start(writing);
	wcm__text_program(&line, program->path);
	write_out(writing);
	if (!program->arguments)
		return;
	start(writing);
	wcm__line_text(&line, "arguments:");
	for (size_t at = 0; at < program->size;
	     at += strlen(program->arguments + at) + 1)
		wcm__text_argument(&line, program->arguments + at);
	if (program->cut)
		wcm__line_text(&line, " (and more)");
	finish(writing);
}

static void text_frame(struct wcm_writing *writing, const struct wcm_frame_fact *frame)
{
	const struct wcm_text_style style = {
		writing->withheld ? 0 : WCM_ADDRESS_DIGITS, wcm__names_writer(writing->names)
	};

	start(writing);
	wcm__text_frame(&line, frame, &style);
	write_out(writing);
}

static void text_gap(struct wcm_writing *writing, size_t count)
{
	start(writing);
	wcm__text_gap(&line, count);
	write_out(writing);
}

static void text_run(struct wcm_writing *writing, const struct wcm_fold_run *run)
{
	struct wcm_round_fact round = { .count = run->count, .period = run->period };

	for (size_t i = 0; i < run->period && i < WCM_ROUND_NAMED; i++)
		wcm__frame_find(&round.frame[i], &run->round[i], 0);
	start(writing);
	wcm__text_round(&line, &round, wcm__names_writer(writing->names));
	write_out(writing);
}

static void text_stack_end(struct wcm_writing *writing, size_t left_out,
			   enum wcm_stop stop, const char *why)
{
	(void)left_out;
	if (stop == WCM_STOP_OUTERMOST)
		return;
	start(writing);
	wcm__text_stop(&line, stop, why);
	write_out(writing);
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

static void text_registers(struct wcm_writing *writing,
			   const struct wcm_named_register *registers,
			   size_t count)
{
	enum { A_LINE = 3, WIDTH = 7 };
	static const char spaces[] = "       ";

	text_heading(writing, "registers:");
	for (size_t i = 0; i < count; i++) {
		const size_t length = strlen(registers[i].name);

		if (i % A_LINE == 0)
			start(writing);
		wcm__line_text(&line, i % A_LINE == 0 ? "  " : "   ");
		wcm__line_text(&line, registers[i].name);
		wcm__line_text(&line, spaces + (length < WIDTH ? length
							       : WIDTH - 1));
		write_address(registers[i].value);
		if (i % A_LINE == A_LINE - 1 || i == count - 1)
			finish(writing);
	}
}

static void text_code(struct wcm_writing *writing, const struct wcm_code *code)
{
	struct wcm_words words;
	size_t room;
	char *text;

	start(writing);
	wcm__line_text(&line, "code:");
	text = wcm__line_room(&line, &room);
	wcm__words_init(&words, text, room);
	for (size_t i = 0; i < code->count; i++) {
		const bool is_pc = code->start + i == code->pc;

		wcm__words_text(&words, is_pc ? " <" : " ");
		wcm__words_digits(&words, code->bytes[i], 16, 2);
		wcm__words_text(&words, is_pc ? ">" : "");
	}
	wcm__line_use_room(&line, wcm__words_length(&words));
	if (code->count == 0)
		wcm__line_text(&line, " none can be read at the pc");
	finish(writing);
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

static void text_thread_begin(struct wcm_writing *writing, const struct wcm_thread *thread,
			      const struct wcm_alike *alike, size_t count)
{
	size_t row;

	start(writing);
	wcm__text_threads_begin(&line, count);
	for (size_t i = 0, n = 0; i < count; i += row, n++) {
		row = count_row(alike + i, count - i);
		wcm__text_threads_row(&line, n, alike[i].tid, alike[i + row - 1].tid,
				      alike[i].name);
	}
	wcm__text_threads_end(&line, thread->answered, thread->blocked);
	write_out(writing);
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
	start(writing);
	wcm__line_text(&line, "  ");
	add_range(module->lo, module->hi);
	wcm__line_text(&line, " bias ");
	wcm__line_hex(&line, module->bias, 1);
	wcm__line_text(&line, " build-id ");
	if (module->build_id)
		wcm__line_bytes(&line, module->build_id, module->build_id_size);
	else
		wcm__line_text(&line, "none");
	wcm__line_text(&line, " ");
	wcm__line_name(&line, module->path);
	finish(writing);
}

static void text_end(struct wcm_writing *writing, const char *const *names,
		     size_t count)
{
	(void)names;
	if (count == 0)
		return;
	start(writing);
	wcm__line_text(&line, "(");
	wcm__line_decimal(&line, (int64_t)count);
	wcm__line_text(&line, count == 1 ? " section" : " sections");
	wcm__line_text(&line, writing->damaged ? " left out: what it is read from is damaged)"
					       : " left out: out of time)");
	finish(writing);
}

const struct wcm_form wcm__form_text = {
	.is_for_people = true,
	.head = text_head,
	.why = text_why,
	.program = text_program,
	.frame = text_frame,
	.gap = text_gap,
	.run = text_run,
	.stack_end = text_stack_end,
	.calls_begin = text_calls_begin,
	.call = text_call,
	.registers = text_registers,
	.code = text_code,
	.thread_begin = text_thread_begin,
	.threads_end = text_threads_end,
	.modules_begin = text_modules_begin,
	.module = text_module,
	.end = text_end,
};
