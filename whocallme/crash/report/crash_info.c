/* SPDX-License-Identifier: MIT */
/* facts.c - what is known of a crash before its report is written. */
#include "crash/facts.h"

#include <string.h>
#include <sys/prctl.h>

#include "crash/attempt.h"
#include "crash/clock.h"
#include "crash/describe.h"
#include "crash/overflow.h"
#include "report/format.h"
#include "symbols/auxv.h"
#include "syscall.h"
#include "unwind/self.h"
#include "unwind/stack_span.h"
#include "unwind/thread_pointer.h"

/* Of the time there is, mappings may take this part. */
enum { PARTS_OF_TIME = 4 };

static const char *program_name(void)
{
	const char *path = wcm__auxv_path();
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "program";
}

static void find_thread(struct wcm_facts *facts)
{
	facts->pid = wcm__process_id();
	facts->tid = wcm__thread_id();
	memset(facts->thread, 0, sizeof(facts->thread));
	wcm__syscall(SYS_prctl, PR_GET_NAME, (long)facts->thread, 0, 0, 0, 0);
}

static void find_registers(struct wcm_facts *facts)
{
	struct wcm_registers file;

	facts->pc = facts->sp = 0;
	facts->has_registers =
		wcm__arch_registers_from_context(&file, facts->ucontext, &wcm__no_span);
	if (!facts->has_registers)
		return;
	facts->pc = file.pc;
	wcm__register_get(&file, WCM_COLUMN_SP, &facts->sp);
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

static enum wcm_cause cause_of_call(const struct wcm_facts *facts)
{
	if (facts->pc == 0)
		return WCM_CAUSE_NULL_CALL;
	return facts->info->si_code == SEGV_MAPERR
		       ? WCM_CAUSE_CALL_UNMAPPED
		       : WCM_CAUSE_CALL_NOT_EXECUTABLE;
}

static void find_cause(struct wcm_facts *facts, uint64_t deadline)
{
	enum { FAULT, STACK, PLACES };
	static struct wcm_place places[PLACES];

	places[FAULT].address = (uintptr_t)facts->info->si_addr;
	places[FAULT].kind = WCM_PLACE_UNKNOWN;
	places[STACK].address = facts->sp;
	facts->place = &places[FAULT];
	wcm__places_find(places, PLACES, time_for_mappings(deadline));
	facts->access = wcm__arch_access(facts->ucontext);
	if (facts->info->si_signo != SIGSEGV)
		return;
	if (wcm__arch_fetch_failed(facts->ucontext, &wcm__no_span)) {
		facts->access = WCM_ACCESS_EXECUTE;
		facts->cause = cause_of_call(facts);
	} else if (facts->has_registers &&
		   wcm__overflow_find(&places[FAULT], &places[STACK], wcm__stack_top(),
				      facts->ucontext, &facts->stack_size)) {
		facts->cause = WCM_CAUSE_STACK_OVERFLOW;
	}
	wcm__place_find_marked_guard(&places[FAULT]);
}

struct search {
	struct wcm_facts *facts;
	uint64_t deadline;
};

/* What is read of memory, as far as that is whole. */
static void find_more(void *argument)
{
	const struct search *search = argument;
	struct wcm_facts *facts = search->facts;

	if (facts->has_address)
		find_cause(facts, search->deadline);
	else if (facts->info->si_signo == SIGABRT && facts->info->si_code == SI_TKILL &&
		 facts->info->si_pid == facts->pid &&
		 wcm__reason_find(&facts->reason, facts->ucontext))
		facts->cause = WCM_CAUSE_ABORT;
}

/* Leave out what was read of memory, or points into it. */
static void withhold(struct wcm_facts *facts)
{
	facts->has_address = facts->may_be_not_canonical = facts->has_si_addr = false;
	facts->reason.what = NULL;
	if (!facts->reason.is_constant)
		facts->reason.type = facts->reason.text = NULL;
}

void wcm__facts_find(struct wcm_facts *facts, const siginfo_t *info, const void *ucontext,
		     enum wcm_withheld withheld, uint64_t deadline)
{
	struct search search = { facts, deadline };

	facts->withheld = withheld;
	facts->reason = (struct wcm_reason){ 0 };
	facts->info = info;
	facts->ucontext = ucontext;
	facts->program = program_name();
	facts->place = NULL;
	facts->access = WCM_ACCESS_UNKNOWN;
	facts->cause = WCM_CAUSE_SIGNAL;
	facts->stack_size = 0;
	facts->is_pointer_broken = wcm__thread_pointer_is_lent();
	facts->broken_pointer = wcm__thread_pointer_broken();
	find_thread(facts);
	find_registers(facts);
	facts->has_address = is_memory_fault(info);
	facts->has_si_addr = wcm__signal_is_fault(info);
	facts->may_be_not_canonical =
		info->si_signo == SIGSEGV && info->si_code == SI_KERNEL;
	if (!wcm__attempt(find_more, &search)) {
		facts->cause = WCM_CAUSE_SIGNAL;
		facts->reason = (struct wcm_reason){ 0 };
	}
	if (withheld)
		withhold(facts);
}

static char *add(char *end, const char *text)
{
	const size_t length = strlen(text);

	memcpy(end, text, length + 1);
	return end + length;
}

/* "' (8 MiB)": stacks are of whole pages, mostly of whole MiB. */
static void end_overflow(char *after, uint64_t size)
{
	const uint64_t kib = (size + 1023) >> 10;
	const bool whole = kib % 1024 == 0;
	char *end = add(after, "'");

	if (size == 0)
		return;
	end = add(end, " (");
	end += wcm__format_decimal(end, (int64_t)(whole ? kib / 1024 : kib));
	add(end, whole ? " MiB)" : " KiB)");
}

/* "abort() was called", and why: what it says, or of which type what was thrown. */
static void put_reason(const struct wcm_reason *reason,
		       struct wcm_cause_words *words)
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
		add(words->after, ": ");
}

void wcm__facts_words(const struct wcm_facts *facts,
		      struct wcm_cause_words *words)
{
	words->name = words->message = NULL;
	words->after[0] = '\0';
	switch (facts->cause) {
	case WCM_CAUSE_SIGNAL:
		words->before = wcm__signal_cause(facts->info);
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
		words->name = facts->thread;
		end_overflow(words->after, facts->stack_size);
		break;
	case WCM_CAUSE_ABORT:
		put_reason(&facts->reason, words);
		break;
	}
}
