/* SPDX-License-Identifier: MIT */
/* crash_info.c (SAFE) - finds out what is known of a crash: signal, registers, address, cause.
 *
 * It does so before anything is written, so that text and JSON say the same, but for where
 * the address is: a report's first line does not wait for a list of mappings.  What is
 * read from the program's memory is read as an attempt: if it faults, the cause is the
 * signal alone.
 */
#include "crash/report/form.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "core/os/attempt.h"
#include "core/os/auxv.h"
#include "core/os/clock.h"
#include "core/os/process.h"
#include "core/os/self.h"
#include "core/os/thread_pointer.h"
#include "core/unwind/stack_span.h"
#include "crash/report/signal_words.h"
#include "format/words.h"

/* Of the time there is, mappings may take this part. */
enum { PARTS_OF_TIME = 4 };

static const char *program_name(void)
{
	const char *path = wcm__auxv_path();
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "program";
}

static void find_thread(struct wcm_crash_info *crash)
{
	crash->pid = wcm__process_id();
	crash->tid = wcm__thread_id();
	memset(crash->thread, 0, sizeof(crash->thread));
	wcm__thread_name_get(crash->thread);
}

static void find_registers(struct wcm_crash_info *crash)
{
	struct wcm_registers file;

	crash->pc = crash->sp = 0;
	crash->has_registers =
		wcm__arch_registers_from_context(&file, crash->ucontext, wcm__read_memory);
	if (!crash->has_registers)
		return;
	crash->pc = file.pc;
	wcm__register_get(&file, WCM_COLUMN_SP, &crash->sp);
}

static bool is_memory_fault(const siginfo_t *info)
{
	return wcm__signal_is_fault(info) &&
	       (info->si_signo == SIGSEGV || info->si_signo == SIGBUS);
}

static uint64_t time_for_mappings(uint64_t deadline)
{
	const uint64_t now = wcm__clock_ns();

	return deadline > now ? now + (deadline - now) / PARTS_OF_TIME : now;
}

static enum wcm_cause cause_of_call(const struct wcm_crash_info *crash)
{
	if (crash->pc == 0)
		return WCM_CAUSE_NULL_CALL;
	return crash->info->si_code == SEGV_MAPERR
		       ? WCM_CAUSE_CALL_UNMAPPED
		       : WCM_CAUSE_CALL_NOT_EXECUTABLE;
}

/* Where the kernel's code has several causes, and where it says nothing of the address. */
static void find_fault(struct wcm_crash_info *crash)
{
	const uintptr_t pointer = crash->is_pointer_broken ? crash->broken_pointer :
							     wcm__arch_thread_pointer();

	if (crash->info->si_code <= 0)
		return;
	wcm__arch_fault_find(&crash->fault, crash->info->si_signo, crash->ucontext, pointer,
			     wcm__read_memory);
	if (crash->fault.fault != WCM_FAULT_UNKNOWN &&
	    crash->fault.fault != WCM_FAULT_PROTECTION && crash->fault.fault != WCM_FAULT_INVALID)
		crash->cause = WCM_CAUSE_INSTRUCTION;
	if (crash->fault.lacks_address)
		crash->has_si_addr = crash->has_address = false;
	if (crash->fault.has_address)
		crash->has_address = true;
}

/* Of the crash that is reported. */
static struct wcm_places places;

static void find_cause(struct wcm_crash_info *crash, uint64_t deadline)
{
	const uintptr_t address = crash->fault.has_address ? crash->fault.address :
							     (uintptr_t)crash->info->si_addr;

	places = (struct wcm_places){ .fault.address = address, .sp.address = crash->sp,
				      .deadline = time_for_mappings(deadline) };
	crash->location = &places.fault;
	crash->access = crash->fault.has_address ?
				crash->fault.access :
				wcm__arch_access(crash->ucontext, wcm__read_memory);
	if (crash->info->si_signo != SIGSEGV || crash->fault.has_address)
		return;
	if (wcm__arch_fetch_failed(crash->ucontext, wcm__read_memory)) {
		crash->access = WCM_ACCESS_EXECUTE;
		crash->cause = cause_of_call(crash);
	} else if (crash->has_registers &&
		   wcm__overflow_find(&places, wcm__stack_top(), crash->ucontext,
				      &crash->stack_size)) {
		crash->cause = WCM_CAUSE_STACK_OVERFLOW;
	}
}

void wcm__crash_info_locate(const struct wcm_crash_info *crash)
{
	wcm__places_find(&places);
	if (crash->info->si_signo == SIGSEGV && !crash->fault.has_address)
		wcm__location_find_marked_guard(&places.fault);
}

/* Whether RESOURCE is the one limit of the two that can have been reached. */
static bool is_only_limit(int resource, int other)
{
	struct rlimit limit, unlimited;

	return wcm__prlimit(resource, NULL, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
	       wcm__prlimit(other, NULL, &unlimited) == 0 && unlimited.rlim_cur == RLIM_INFINITY;
}

/* The kernel sends SIGXFSZ as though the process did by kill(2); but the thread stands behind the
 * call that it refuses for the size. */
static void find_limit(struct wcm_crash_info *crash)
{
	const siginfo_t *info = crash->info;
	intptr_t result;

	if (info->si_signo == SIGXCPU && info->si_code == SI_KERNEL) {
		if (is_only_limit(RLIMIT_CPU, RLIMIT_RTTIME))
			crash->told = "RLIMIT_CPU is used up";
		else if (is_only_limit(RLIMIT_RTTIME, RLIMIT_CPU))
			crash->told = "RLIMIT_RTTIME is used up";
	} else if (info->si_signo == SIGXFSZ && info->si_code == SI_USER &&
		   info->si_pid == crash->pid &&
		   wcm__arch_call_result(crash->ucontext, wcm__read_memory, &result) &&
		   result == -EFBIG) {
		crash->told = "a file would exceed RLIMIT_FSIZE";
		crash->has_sender = false;
	}
}

struct search {
	struct wcm_crash_info *crash;
	uint64_t deadline;
};

/* What is read of memory, as far as that is whole. */
static void find_more(void *argument)
{
	const struct search *search = argument;
	struct wcm_crash_info *crash = search->crash;

	find_fault(crash);
	if (crash->has_address)
		find_cause(crash, search->deadline);
	else if (crash->info->si_signo == SIGABRT && crash->info->si_code == SI_TKILL &&
		 crash->info->si_pid == crash->pid &&
		 wcm__reason_find(&crash->reason, crash->ucontext))
		crash->cause = WCM_CAUSE_ABORT;
	else
		find_limit(crash);
}

/* Leave out what was read of memory, or points into it. */
static void withhold(struct wcm_crash_info *crash)
{
	crash->has_address = crash->has_si_addr = false;
	crash->fault.registers = 0;
	crash->reason.what = NULL;
	if (!crash->reason.is_constant)
		crash->reason.type = crash->reason.text = NULL;
}

void wcm__crash_info_find(struct wcm_crash_info *crash, const siginfo_t *info,
			  const void *ucontext, enum wcm_withheld withheld,
			  uint64_t deadline)
{
	struct search search = { crash, deadline };

	crash->withheld = withheld;
	crash->reason = (struct wcm_reason){ 0 };
	crash->info = info;
	crash->ucontext = ucontext;
	crash->program = program_name();
	crash->location = NULL;
	crash->access = WCM_ACCESS_UNKNOWN;
	crash->cause = WCM_CAUSE_SIGNAL;
	crash->told = NULL;
	crash->has_sender = wcm__signal_has_sender(info);
	crash->stack_size = 0;
	crash->is_pointer_broken = wcm__thread_pointer_is_lent();
	crash->broken_pointer = wcm__thread_pointer_broken();
	find_thread(crash);
	find_registers(crash);
	crash->has_address = is_memory_fault(info);
	crash->has_si_addr = wcm__signal_is_fault(info);
	crash->fault = (struct wcm_fault_found){ .fault = WCM_FAULT_UNKNOWN };
	if (!wcm__attempt(find_more, &search)) {
		crash->fault = (struct wcm_fault_found){ .fault = WCM_FAULT_UNKNOWN };
		crash->has_address = crash->has_address && crash->location;
		crash->cause = WCM_CAUSE_SIGNAL;
		crash->told = NULL;
		crash->reason = (struct wcm_reason){ 0 };
	}
	if (withheld)
		withhold(crash);
}

/* "' (8 MiB)": stacks are of whole pages, mostly of whole MiB. */
static void end_overflow(struct wcm_words *after, uint64_t size)
{
	const uint64_t kib = (size + 1023) >> 10;
	const bool whole = kib % 1024 == 0;

	wcm__words_text(after, "'");
	if (size == 0)
		return;
	wcm__words_text(after, " (");
	wcm__words_id(after, (int64_t)(whole ? kib / 1024 : kib));
	wcm__words_text(after, whole ? " MiB)" : " KiB)");
}

/* "abort() was called", and why: what it says, or of which type what was thrown. */
static void put_reason(const struct wcm_reason *reason, struct wcm_cause_words *words,
		       struct wcm_words *after)
{
	words->before = "abort() was called";
	if (!reason->text)
		return;
	words->before = "abort() was called: ";
	words->message = reason->text;
	if (!reason->type)
		return;
	words->before = "abort() was called: uncaught exception of type ";
	words->name = reason->type;
	words->message = reason->what;
	if (reason->what)
		wcm__words_text(after, ": ");
}

/* "invalid operation, division by zero" */
static void put_exceptions(struct wcm_words *words, unsigned exceptions)
{
	const char *between = "";

	for (unsigned bit = 1; bit < WCM_FLOAT_ALL; bit <<= 1)
		if (exceptions & bit) {
			wcm__words_text(words, between);
			wcm__words_text(words, wcm__float_words(bit));
			between = ", ";
		}
}

static void put_signal(const struct wcm_crash_info *crash, struct wcm_cause_words *words,
		       struct wcm_words *after)
{
	const struct wcm_signal_cause cause = wcm__signal_cause(crash->info, &crash->fault);

	words->before = crash->told ? crash->told : cause.text;
	if (crash->fault.fault == WCM_FAULT_SEVERAL) {
		words->before = "floating-point exception, one of: ";
		put_exceptions(after, crash->fault.number);
	} else if (cause.then) {
		wcm__words_id(after, (int64_t)cause.number);
		wcm__words_text(after, cause.then);
	}
	if (crash->fault.is_earlier)
		wcm__words_text(after, ", of an earlier instruction");
}

void wcm__crash_info_words(const struct wcm_crash_info *crash,
			   struct wcm_cause_words *words)
{
	struct wcm_words after;

	wcm__words_init(&after, words->after, sizeof(words->after));
	words->name = words->message = NULL;
	switch (crash->cause) {
	case WCM_CAUSE_SIGNAL:
	case WCM_CAUSE_INSTRUCTION:
		put_signal(crash, words, &after);
		break;
	case WCM_CAUSE_NULL_CALL:
		words->before = "call of a NULL function pointer";
		break;
	case WCM_CAUSE_CALL_UNMAPPED:
		words->before = "call of an address that is not mapped";
		break;
	case WCM_CAUSE_CALL_NOT_EXECUTABLE:
		words->before = "call of an address that is not executable";
		break;
	case WCM_CAUSE_STACK_OVERFLOW:
		words->before = "stack overflow of thread '";
		words->name = crash->thread;
		end_overflow(&after, crash->stack_size);
		break;
	case WCM_CAUSE_ABORT:
		put_reason(&crash->reason, words, &after);
		break;
	}
	wcm__words_finish(&after);
}
